import {
  parseOperationKey,
  PorticoError,
  readableTarget,
  searchQueryMax,
  sliceBytes,
  type OperationResult,
  type PositionedOperation,
} from '@portico/domain';
import { z } from 'zod';
import { json, ready } from '../responses/route-response.ts';
import { codingFor, digestTag, encodedList, formatVersion, taggedResponse } from '../responses/tagged-response.ts';
import { collectionId, line, numberParameter, optional, text, wholeNumber } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { collectionParameter, uuid } from './wire.ts';

const kLimitDefault = 10;
const pageLimitDefault = 100;

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const;

const search = z
  .object({
    query: text({ max: searchQueryMax }).meta({
      description: "The operation's task, in natural language.",
      examples: ['send an sms'],
    }),
    k_limit: optional(wholeNumber(1, 100)).meta({
      default: kLimitDefault,
      description: 'The maximum number of results.',
    }),
    collection_id: optional(collectionId).meta({
      description: 'Searches only this collection. No results if the caller may not see it.',
    }),
    method: optional(z.enum(methods)).meta({ description: 'Searches only operations with this method.' }),
  })
  .meta({ id: 'OperationQuery' });

const operationKey = z.string().meta({
  pattern: '^[a-z2-7]{16}$',
  description: 'Identifies the operation in its collection while method and path stay.',
  examples: ['mfrggzdfmztwq2lk'],
});
const operationFields = {
  operation_key: operationKey,
  method: z.enum(methods),
  path: z.string(),
  operation_id: z.string().nullable(),
  summary: z.string().nullable(),
};

const operationResult = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    ...operationFields,
    deprecated: z.boolean(),
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({
        description:
          'Confidence, comparable across queries: the share of labelled tasks with such a first score whose first ' +
          'result was right.',
      }),
  })
  .meta({ id: 'OperationResult' });

const listedOperation = z
  .object({ ...operationFields, tags: z.array(z.string()), deprecated: z.boolean() })
  .meta({ id: 'ListedOperation' });

const anyObject = z.looseObject({});
const slice = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    ...operationFields,
    url: z.string().meta({ description: 'The base address and the path.' }),
    description: z.string().nullable(),
    deprecated: z.boolean(),
    tags: z.array(z.string()),
    authentication: z.object({
      type: z.enum(['apiKey', 'bearer', 'basic', 'none']),
      name: z.string().nullable(),
      in: z.enum(['header', 'query', 'cookie']).nullable(),
      value: z.null().meta({ description: 'The metadata has the stored credential.' }),
      value_hint: z.string().nullable().meta({ description: 'Describes the credential.' }),
    }),
    parameters: z.array(anyObject),
    request_body: anyObject.nullable(),
    responses: anyObject,
    truncated: z.array(z.string()).meta({ description: 'JSON Pointers to the cut parts of this body.' }),
    curl: z.string().nullable().meta({ description: 'A shell command with uppercase placeholders.' }),
  })
  .meta({ id: 'OperationSlice' });
const tool = z
  .object({ name: z.string().max(64), description: z.string(), input_schema: anyObject })
  .meta({ id: 'OperationTool', description: 'A function tool for language models.' });
const operationDocument = z
  .looseObject({ openapi: z.string(), info: anyObject, paths: anyObject })
  .meta({ id: 'OperationDocument', description: 'An OpenAPI document of one operation.' });

const filter = z.object({
  limit: numberParameter(1, 1_000)
    .optional()
    .meta({ description: 'The page size. Without it, returns the whole list.' }),
  cursor: z
    .string()
    .regex(/^\d{1,5}$/, { error: 'is not one that was given out' })
    .transform(Number)
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' }),
  tag: line({ max: 200 }).optional().meta({ description: 'Only operations with exactly this tag.' }),
  q: line({ max: 200 })
    .optional()
    .meta({ description: 'Only operations whose path, operation id or summary contains this, ignoring case.' }),
});

const operationParameter = {
  ...collectionParameter,
  operation_key: {
    description: "The operation's `operation_key`.",
    schema: { type: 'string', pattern: '^[a-z2-7]{16}$' },
    example: 'mfrggzdfmztwq2lk',
  },
} as const;

const description = z.object({
  detail: z.enum(['request', 'full']).default('request').meta({
    description: '`request`: only status and description of responses. `full`: also the schema of the first success.',
  }),
  max_bytes: numberParameter(sliceBytes.min, sliceBytes.max)
    .default(sliceBytes.default)
    .meta({
      description:
        'The maximum response size, rounded down to a power of two; ignored with `openapi`. `truncated` lists ' +
        'the cut parts.',
    }),
  as: z
    .enum(['tool', 'openapi'])
    .optional()
    .meta({
      description:
        '`tool`: a function tool for language models, with one flat schema. `openapi`: an OpenAPI document of this one ' +
        'operation, with the components that it needs.',
    }),
});

export const operationRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/operations/search',
    operation: 'searchOperations',
    summary: 'Search operations in natural language',
    description:
      'Among the operations of all collections that the caller may see; best first, and `[]` if nothing fits. ' +
      'The header `X-Search-Mode: exact` means that the vector index is down; results are the same.',
    auth: 'token or key',
    scope: 'catalog:read',
    bodyKind: 'json',
    body: search,
    status: 200,
    supplies: {
      collection_id: '$response.body#/0/collection_id',
      operation_key: '$response.body#/0/operation_key',
    },
    response: z.array(operationResult),
    errors: ['embedding_unavailable'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const { results, isFallback } = await useCases.searchOperations(caller.principal, {
        query: fields.query,
        limit: fields.k_limit ?? kLimitDefault,
        collectionId: fields.collection_id ?? null,
        method: fields.method ?? null,
      });
      return json(results.map(resultView), isFallback ? { 'X-Search-Mode': 'exact' } : {});
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/operations',
    operation: 'listOperations',
    summary: 'List the operations of a collection',
    description: 'In the order of the document.',
    params: collectionParameter,
    reads: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    query: filter,
    status: 200,
    supplies: { operation_key: '$response.body#/0/operation_key' },
    conditional: true,
    response: z.array(listedOperation),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, params, query, request }) => {
      const { tag = null, q: containing = null, limit, cursor = 0 } = query;
      const isPaged = limit !== undefined || query.cursor !== undefined;
      const size = limit ?? pageLimitDefault;
      // One more than the page size, to see whether there is a next page.
      const page = isPaged ? { limit: size + 1, from: cursor } : null;
      const operations = await useCases.listOperations(caller.principal, { tag, containing }, page);
      const next = isPaged ? operations[size] : undefined;
      const coding = codingFor(request);
      const bytes = await encodedList((next ? operations.slice(0, size) : operations).map(listedView), coding);
      const answer = taggedResponse(request, coding, { etag: digestTag(bytes), bytes });
      if (!next) return answer;
      const nextQuery = new URLSearchParams({
        limit: `${size}`,
        cursor: `${next.position}`,
        ...(tag === null ? {} : { tag }),
        ...(containing === null ? {} : { q: containing }),
      });
      const path = `/api/collections/${params.collection_id ?? ''}/operations`;
      return { ...answer, headers: { ...answer.headers, Link: `<${path}?${nextQuery.toString()}>; rel="next"` } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/operations/:operation_key',
    operation: 'readOperation',
    summary: 'Read how to call an operation',
    description:
      'A slice of the document: references are inlined, nearest first, as far as `max_bytes` allows; `truncated` ' +
      'lists the cut parts. `authentication.value` is always null: the metadata has the stored credential. One request ' +
      'per caller runs at a time, and two more wait; a further one is a 429.',
    params: operationParameter,
    reads: 'whole',
    auth: 'token or key',
    scope: 'catalog:read',
    query: description,
    status: 200,
    conditional: true,
    response: z.union([slice, tool, operationDocument]),
    errors: ['no_access', 'collection_not_found', 'operation_not_found'],
    handler: async ({ useCases, bodies, caller, params, query, request }) => {
      const { id, revision, updatedAt } = readableTarget(caller.principal);
      const key = parseOperationKey(params.operation_key ?? '');
      if (!key) throw new PorticoError('operation_not_found');
      const { as: form = 'slice', detail } = query;
      const maxBytes = floorPowerOfTwo(query.max_bytes);
      const variant = form === 'openapi' ? form : `${form}.${detail}.${maxBytes}`;
      const etag = `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${key}.${variant}"`;
      const cached = bodies.get(id + etag);
      if (cached) {
        useCases.countUse(caller.principal, 'slice', id);
        return taggedResponse(request, 'identity', cached);
      }
      const { text: bytes, isFromAdmittedDocument } = await useCases.describeOperation(caller.principal, key, {
        form,
        detail,
        maxBytes,
      });
      if (!isFromAdmittedDocument) return ready(bytes);
      bodies.set(id + etag, { etag, bytes });
      return taggedResponse(request, 'identity', { etag, bytes });
    },
  }),
] as const;

/** Returns the largest power of two up to `bytes`, so that each operation has few distinct responses to cache. */
const floorPowerOfTwo = (bytes: number): number => 2 ** (31 - Math.clz32(bytes));

const resultView = (result: OperationResult): z.input<typeof operationResult> => ({
  collection_id: result.collectionId,
  collection_name: result.collectionName,
  ...operationFieldsView(result),
  deprecated: result.deprecated,
  score: result.score,
});

const listedView = (operation: PositionedOperation): z.input<typeof listedOperation> => ({
  ...operationFieldsView(operation),
  tags: [...operation.tags],
  deprecated: operation.deprecated,
});

const operationFieldsView = ({
  key,
  method,
  path,
  operationId,
  summary,
}: Pick<PositionedOperation, 'key' | 'method' | 'path' | 'operationId' | 'summary'>) => ({
  operation_key: key,
  // Safe: only these methods are read from a document.
  method: method as (typeof methods)[number],
  path,
  operation_id: operationId,
  summary,
});
