import {
  parseOperationKey,
  PorticoError,
  requireReadableTarget,
  searchQueryMax,
  sliceBytes,
  type OperationResult,
  type PositionedOperation,
  type WithPermission,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, toReadyResponse } from '../responses/route-response.ts';
import {
  codingFor,
  entityTagOf,
  encodeList,
  formatVersion,
  createTaggedResponse,
} from '../responses/tagged-response.ts';
import { collectionId, line, numberParameter, optional, text, wholeNumber } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import {
  argumentBytesMax,
  credential,
  methods,
  preparation,
  preparationQuery,
  preparedRequest,
  toPreparedView,
} from './prepared-requests.ts';
import { collectionParameter, uuid } from './wire.ts';

const kLimitDefault = 10;
const pageLimitDefault = 100;

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
      description: 'Searches only this collection. Returns no results if the caller may not see it.',
    }),
    method: optional(z.enum(methods)).meta({ description: 'Searches only operations with this method.' }),
  })
  .meta({ id: 'OperationQuery' });

const operationKey = z.string().meta({
  pattern: '^[a-z2-7]{16}$',
  description: 'Identifies the operation in its collection as long as its method and path do not change.',
  examples: ['mfrggzdfmztwq2lk'],
});
const operationFields = {
  operation_key: operationKey,
  method: z.enum(methods),
  path: z.string(),
  operation_id: z.string().nullable(),
  summary: z.string().nullable(),
};

const call = z.enum(['allowed', 'ask', 'denied']).meta({
  description: 'Whether the grants of the caller allow calls of this operation. `ask`: after a decision.',
});

const operationResult = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    ...operationFields,
    deprecated: z.boolean().meta({ description: 'Whether the operation or its collection is deprecated.' }),
    call,
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({
        description:
          'Confidence, comparable across queries: of the labeled tasks whose first result had such a score, the share for which that ' +
          'result was right.',
      }),
  })
  .meta({ id: 'OperationResult' });

const listedOperation = z
  .object({ ...operationFields, tags: z.array(z.string()), deprecated: z.boolean(), call })
  .meta({ id: 'ListedOperation' });

const anyObject = z.looseObject({});

const server = z.object({
  url: z.string(),
  description: z.string().nullable(),
  variables: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().nullable(),
        default: z.string().nullable(),
        enum: z.array(z.string()).nullable(),
        description: z.string().nullable(),
      }),
    )
    .optional(),
});

const slice = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    ...operationFields,
    call,
    url: z.string().meta({ description: 'The URL of the first server, followed by the path.' }),
    servers: z.array(server),
    description: z.string().nullable(),
    deprecated: z.boolean(),
    tags: z.array(z.string()),
    authentication: z
      .array(z.array(credential))
      .nullable()
      .meta({
        description:
          'Alternatives of credentials that are sent together, those that are stored first. `[]`: none is needed; null: the ' +
          'document does not say.',
      }),
    parameters: z.array(anyObject),
    request_body: anyObject.nullable(),
    responses: anyObject,
    accept: z.string().optional().meta({ description: 'The header `Accept`, if the response is not JSON.' }),
    warnings: z.array(z.string()).optional(),
    truncated: z
      .array(z.object({ pointer: z.string(), reason: z.enum(['budget', 'cycle', 'external']) }))
      .meta({ description: 'JSON Pointers to the parts of this body that are missing, and why.' }),
    curl: z.string().nullable().meta({ description: 'A shell command with uppercase placeholders.' }),
  })
  .meta({ id: 'OperationSlice' });
const tool = z
  .object({
    name: z.string().max(64),
    description: z.string(),
    input_schema: anyObject,
    request: z.object({
      method: z.enum(methods),
      url: z.string(),
      content_type: z.string().nullable(),
      accept: z.string().nullable(),
    }),
    call,
  })
  .meta({ id: 'OperationTool', description: 'A function tool for language models.' });

const operationDocument = z
  .looseObject({ openapi: z.string(), info: anyObject, paths: anyObject })
  .meta({ id: 'OperationDocument', description: 'An OpenAPI document of one operation.' });

const filter = z.object({
  limit: numberParameter(1, 1_000)
    .optional()
    .meta({ description: 'The page size. If absent, returns the complete list.' }),
  cursor: z
    .string()
    .regex(/^\d{1,5}$/, { error: 'was not issued by this service' })
    .transform(Number)
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' }),
  tag: line({ max: 200 }).optional().meta({ description: 'Only operations with exactly this tag.' }),
  q: line({ max: 200 })
    .optional()
    .meta({ description: 'Only operations whose path, operation id or summary contains this, ignoring case.' }),
});

export const operationParameter = {
  ...collectionParameter,
  operation_key: {
    description: 'The `operation_key` of the operation.',
    schema: { type: 'string', pattern: '^[a-z2-7]{16}$' },
    example: 'mfrggzdfmztwq2lk',
  },
} as const;

const description = z.object({
  detail: z.enum(['request', 'full']).default('request').meta({
    description:
      '`request`: only the status and description of responses. `full`: also the schema of the first successful response.',
  }),
  max_bytes: numberParameter(sliceBytes.min, sliceBytes.max)
    .default(sliceBytes.default)
    .meta({
      description:
        'The maximum response size, rounded down to a power of two; ignored with `openapi`. `truncated` lists ' +
        'the parts that were cut.',
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
      'Searches the operations of all collections that the caller may see, except retired ones. Best match first; `[]` if nothing matches. ' +
      'The header `X-Search-Mode: exact` means that the vector index is unavailable; the results are the same.',
    auth: 'token or key',
    scope: 'catalog:read',
    bodyKind: 'json',
    body: search,
    status: 200,
    linkParameters: {
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
      return toJsonResponse(results.map(toResultView), isFallback ? { 'X-Search-Mode': 'exact' } : {});
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/operations',
    operation: 'listOperations',
    summary: 'List the operations of a collection',
    description: 'In the order of the document.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    query: filter,
    status: 200,
    linkParameters: { operation_key: '$response.body#/0/operation_key' },
    isConditional: true,
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
      const bytes = await encodeList((next ? operations.slice(0, size) : operations).map(toListedView), coding);
      const response = createTaggedResponse(request, coding, { etag: entityTagOf(bytes), bytes });
      if (!next) return response;
      const nextQuery = new URLSearchParams({
        limit: `${size}`,
        cursor: `${next.position}`,
        ...(tag === null ? {} : { tag }),
        ...(containing === null ? {} : { q: containing }),
      });
      const path = `/api/collections/${params.collection_id ?? ''}/operations`;
      return { ...response, headers: { ...response.headers, Link: `<${path}?${nextQuery.toString()}>; rel="next"` } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/operations/:operation_key',
    operation: 'readOperation',
    summary: 'Read how to call an operation',
    description:
      'Returns a slice of the document: references are inlined, nearest first, up to `max_bytes`; `truncated` ' +
      'lists the parts that were cut. `authentication.value` is always null: read the stored credential in the metadata. Each ' +
      'caller can have one request running and two waiting; any more are rejected with 429.',
    params: operationParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: 'catalog:read',
    query: description,
    status: 200,
    isConditional: true,
    response: z.union([slice, tool, operationDocument]),
    errors: ['no_access', 'collection_not_found', 'operation_not_found'],
    handler: async ({ useCases, bodies, caller, params, query, request }) => {
      const { id, revision, updatedAt } = requireReadableTarget(caller.principal);
      const key = parseOperationKey(params.operation_key ?? '');
      if (!key) throw new PorticoError('operation_not_found');
      const { as: form = 'slice', detail } = query;
      const maxBytes = floorToPowerOfTwo(query.max_bytes);
      const variant =
        form === 'openapi'
          ? form
          : `${form}.${detail}.${maxBytes}.${await useCases.readPermission(caller.principal, key)}`;
      const etag = `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${key}.${variant}"`;
      const cachedBody = bodies.get(id + etag);
      if (cachedBody) {
        useCases.countUse(caller.principal, 'slice', id, key);
        return createTaggedResponse(request, 'identity', cachedBody);
      }
      const { text: bytes, isFromAdmittedDocument } = await useCases.describeOperation(caller.principal, key, {
        form,
        detail,
        maxBytes,
      });
      if (!isFromAdmittedDocument) return toReadyResponse(bytes);
      bodies.set(id + etag, { etag, bytes });
      return createTaggedResponse(request, 'identity', { etag, bytes });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/collections/:collection_id/operations/:operation_key/prepare',
    operation: 'prepareOperation',
    summary: 'Prepare the request that calls an operation',
    description:
      'Validates arguments in the form of the tool, and serialises them as the document says. Does not send anything. A file is a ' +
      'text, or a `data:` URL with base64. A 400 lists the invalid arguments in `errors`, by JSON Pointer.',
    params: operationParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: 'catalog:read',
    query: preparationQuery,
    bodyKind: 'json',
    bodyBytesMax: argumentBytesMax,
    body: preparation,
    status: 200,
    response: preparedRequest,
    errors: ['no_access', 'collection_not_found', 'operation_not_found', 'invalid_arguments'],
    handler: async ({ useCases, caller, params, query, body }) => {
      requireReadableTarget(caller.principal);
      const key = parseOperationKey(params.operation_key ?? '');
      if (!key) throw new PorticoError('operation_not_found');
      const argumentsText = body.readMemberText('arguments') ?? '{}';
      const request = await useCases.prepareOperation(caller.principal, key, argumentsText);
      return toJsonResponse(await toPreparedView(request, query.samples ?? null));
    },
  }),
] as const;

/** Returns the largest power of two up to `bytes`, so that each operation has few distinct responses to cache. */
const floorToPowerOfTwo = (bytes: number): number => 2 ** (31 - Math.clz32(bytes));

const toResultView = (result: OperationResult & WithPermission): z.input<typeof operationResult> => ({
  collection_id: result.collectionId,
  collection_name: result.collectionName,
  ...toOperationFieldsView(result),
  deprecated: result.deprecated,
  call: result.call,
  score: result.score,
});

const toListedView = (operation: PositionedOperation & WithPermission): z.input<typeof listedOperation> => ({
  ...toOperationFieldsView(operation),
  tags: [...operation.tags],
  deprecated: operation.deprecated,
  call: operation.call,
});

const toOperationFieldsView = ({
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
