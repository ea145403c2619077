import {
  callTimeoutMs,
  requireReadableTarget,
  searchQueryMax,
  toPreparedRequestView,
  type OperationResult,
  type WithPermission,
} from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { toCallView, toHeldCallView } from '../../routes/operation-calls.ts';
import { defineTool, type Tool } from '../tool.ts';
import { callId, collectionId, operationKey } from './arguments.ts';
import { describeConfidence, noMatchText } from './confidence.ts';
import { toDistinctionView } from './distinct-name.ts';
import { describeLifecycle } from './lifecycle-note.ts';
import { toOneLine } from './one-line.ts';

const limitDefault = 5;
/** The maximum length of a document's text about an operation: its path or its summary. */
const lineMax = 200;
/** The default maximum size of a description, which fits into 8 KB together with its note. */
const maxBytesDefault = 8_000;
/** The maximum size of the body of a response, in bytes: it becomes part of a model's context. */
const responseBytesMax = 32_768;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const;

export const operationTools: readonly Tool[] = [
  defineTool({
    name: 'search_operations',
    description: 'Start here: find the operations (method and path) that do a task, among the APIs that you may use.',
    isReadOnly: true,
    input: z.object({
      query: text({ max: searchQueryMax }).meta({
        description: 'One task, in English, such as "send a text message".',
      }),
      limit: optional(wholeNumber(1, 50)),
      collection_id: optional(collectionId).meta({ description: 'Only this API.' }),
      method: optional(
        z.preprocess((value) => (typeof value === 'string' ? value.toUpperCase() : value), z.enum(methods)),
      ),
    }),
    handle: async ({ useCases, principal }, { query, limit, collection_id, method }) => {
      const { results } = await useCases.searchOperations(principal, {
        query,
        limit: limit ?? limitDefault,
        collectionId: collection_id ?? null,
        method: method ?? null,
      });
      const [bestMatch] = results;
      const confidence = bestMatch ? describeConfidence(bestMatch.score) : noMatchText;
      const names = results.map(({ collectionName }) => collectionName);
      const distinctions = await useCases.distinguishCollections(principal, names);
      const operations = results.map((result) => toOperationView(result, distinctions.get(result.collectionId)));
      return { data: { confidence, operations } };
    },
  }),
  defineTool({
    name: 'describe_operation',
    description: 'How to call an operation: URL, parameters, body, responses.',
    isReadOnly: true,
    input: z.object({
      collection_id: collectionId,
      operation_key: operationKey,
      detail: optional(z.enum(['request', 'full'])).meta({
        description: 'full: also the schema of the response.',
      }),
      max_bytes: optional(wholeNumber(1_024, 262_144)).meta({ description: `${maxBytesDefault} if absent.` }),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, operation_key: key, detail, max_bytes: maxBytes }) => {
      const caller = await useCases.readTarget(principal, { id, detail: 'full' });
      const description = await useCases.describeOperation(caller, key, {
        form: 'slice',
        detail: detail ?? 'request',
        maxBytes: maxBytes ?? maxBytesDefault,
        omitsAllowed: true,
      });
      const text = new TextDecoder().decode(description.text);
      const lifecycleNote = describeLifecycle(requireReadableTarget(caller).lifecycle);
      const notes = [
        ...(lifecycleNote === null ? [] : [lifecycleNote]),
        ...(description.call === 'allowed' ? [] : [permissionNotes[description.call]]),
        ...(isTruncated(text) ? [truncationNote] : []),
      ];
      return notes.length === 0 ? { text } : { text, note: notes.join(' ') };
    },
  }),
  defineTool({
    name: 'prepare_call',
    description:
      "Turn arguments into the HTTP request that calls an operation, serialised as its document says. Sends nothing. The arguments' " +
      'names are those of describe_operation: parameters, and members of the body (or body).',
    isReadOnly: true,
    input: z.object({
      collection_id: collectionId,
      operation_key: operationKey,
      arguments: z.looseObject({}),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, operation_key: key, arguments: values }) => {
      const caller = await useCases.readTarget(principal, { id, detail: 'full' });
      const request = await useCases.prepareOperation(caller, key, JSON.stringify(values));
      return { text: JSON.stringify(toPreparedRequestView(request)) };
    },
  }),
  defineTool({
    name: 'call_operation',
    description:
      'Call an operation: the catalog sends the request with the stored credential, and returns the response. ' +
      'Takes the arguments of prepare_call.',
    isReadOnly: false,
    isDestructive: true,
    input: z.object({
      collection_id: collectionId,
      operation_key: operationKey,
      arguments: z.looseObject({}),
      timeout_ms: optional(wholeNumber(callTimeoutMs.min, callTimeoutMs.max)),
      call_id: optional(callId).meta({ description: 'Of an approved call, to make it now.' }),
    }),
    handle: async ({ useCases, principal }, input) => {
      const { collection_id: id, operation_key: key, arguments: values, timeout_ms: timeoutMs } = input;
      const caller = await useCases.readTarget(principal, { id, detail: 'full' });
      const answer = await useCases.callOperation(caller, key, {
        argumentsText: JSON.stringify(values),
        timeoutMs: timeoutMs ?? callTimeoutMs.default,
        bodyBytesMax: responseBytesMax,
        idempotencyKey: null,
        callId: input.call_id ?? null,
      });
      if (answer.outcome === 'waiting') return { data: { ...toHeldCallView(answer.call), hint: waitingCallHint } };
      const { result } = answer;
      const hint = result.isTruncated ? { hint: truncatedResponseHint } : {};
      return { data: { ...hint, ...toCallView(result) } };
    },
  }),
];

const waitingCallHint =
  'An administrator decides about this call, and the decision is mailed. After the approval, call again with the same ' +
  'arguments and call_id.';

const truncatedResponseHint =
  'The body was cut: call again with arguments that return less, such as fewer fields or a smaller page.';

const isTruncated = (slice: string): boolean => {
  const { truncated } = JSON.parse(slice) as { readonly truncated?: readonly unknown[] };
  return truncated !== undefined && truncated.length > 0;
};

const truncationNote =
  'The parts listed in "truncated" were cut to keep this short. A larger max_bytes shows more of them.';

const permissionNotes = {
  ask: 'A call of this operation needs a decision by a person first.',
  denied: 'Your grant does not allow calls of this operation: use another one, or ask an administrator.',
} as const;

const toOperationView = (result: OperationResult & WithPermission, distinction: string | undefined) => {
  const { collectionId, collectionName, key, method, path, summary, operationId, deprecated, score, call } = result;
  return {
    score,
    method,
    path,
    summary: toOneLine(summary ?? operationId ?? '', lineMax),
    deprecated,
    ...(call === 'allowed' ? {} : { call }),
    collection_name: collectionName,
    ...toDistinctionView(distinction),
    collection_id: collectionId,
    operation_key: key,
  };
};
