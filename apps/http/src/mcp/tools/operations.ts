import { searchQueryMax, type OperationResult } from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { defineTool, type Tool } from '../tool.ts';
import { collectionId, operationKey } from './arguments.ts';
import { confidenceText, nothingFits } from './confidence.ts';
import { oneLine } from './one-line.ts';

const limitDefault = 5;
/** The maximum length of a document's text about an operation. */
const lineMax = 200;
/** The default maximum size of a description, which fits into 8 KB together with its note. */
const maxBytesDefault = 8_000;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const;

export const operationTools: readonly Tool[] = [
  defineTool({
    name: 'search_operations',
    description: 'Start here: find the operations (method and path) that do a task, among the APIs that you may use.',
    isReadOnly: true,
    input: z.object({
      query: text({ max: searchQueryMax }).meta({ description: 'One task, as "send a text message".' }),
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
      const [best] = results;
      if (!best) return { text: nothingFits, data: { operations: [] } };
      return {
        text: [confidenceText(best.score), ...results.map(lineOf)].join('\n'),
        data: { operations: results.map(operationView) },
      };
    },
  }),
  defineTool({
    name: 'describe_operation',
    description: 'How to call one operation: URL, parameters, body, responses.',
    isReadOnly: true,
    input: z.object({
      collection_id: collectionId,
      operation_key: operationKey,
      detail: optional(z.enum(['request', 'full'])).meta({
        description: 'full: the schema of the response too.',
      }),
      max_bytes: optional(wholeNumber(1_024, 262_144)).meta({ description: `${maxBytesDefault} if absent.` }),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, operation_key: key, detail, max_bytes: maxBytes }) => {
      const caller = await useCases.readTarget(principal, { id, part: 'whole' });
      const described = await useCases.describeOperation(caller, key, {
        form: 'slice',
        detail: detail ?? 'request',
        maxBytes: maxBytes ?? maxBytesDefault,
      });
      const text = new TextDecoder().decode(described.text);
      return isCut(text) ? { text, note: cutNote } : { text };
    },
  }),
];

const isCut = (slice: string): boolean => {
  const { truncated } = JSON.parse(slice) as { readonly truncated?: readonly unknown[] };
  return truncated !== undefined && truncated.length > 0;
};

const cutNote = 'The places in "truncated" were cut to keep this short. A larger max_bytes shows more of them.';

const lineOf = (result: OperationResult): string => {
  const { collectionId: id, collectionName, key, method, path, deprecated, score } = result;
  const words = [result.summary ?? result.operationId, collectionName, deprecated ? 'deprecated' : null];
  const summary = oneLine(words.filter((word) => word).join(', '), lineMax);
  return `${score.toFixed(2)} ${method} ${oneLine(path, lineMax)} (${summary}) collection_id ${id} operation_key ${key}`;
};

/** Returns the data that identifies an operation for programs; only the text contains its summary. */
const operationView = ({ collectionId, collectionName, key, method, path, deprecated, score }: OperationResult) => ({
  collection_id: collectionId,
  collection_name: collectionName,
  operation_key: key,
  method,
  path,
  deprecated,
  score,
});
