import { errorDetails, type ErrorCode } from '@portico/domain';
import { z } from 'zod';
import { errorStatuses } from '../errors.ts';
import { nameOfPart, type DescribedBody, type RouteAuth, type Route } from '../route.ts';
import type { HttpSettings } from '../settings.ts';
import { createIntroduction, securitySchemes, tags } from './introduction.ts';
import { toParameterSchema, schemaOf, type JsonObject, type Schemas } from './json-schema.ts';

/** Returns the service's own OpenAPI document (3.1), built from the route table and its validation schemas. */
export const buildOpenApiDocument = (routes: readonly Route[], settings: HttpSettings): JsonObject => {
  const schemas: Schemas = {
    Error: errorSchema,
    RateLimitError: rateLimitErrorSchema,
    ArgumentsError: argumentsErrorSchema,
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.isHidden) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, routes, settings, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version: settings.version,
      description: createIntroduction(settings),
      contact: { name: 'The administrators of this service' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, headers, securitySchemes },
  };
};

const errorSchema = {
  type: 'object',
  properties: { detail: { type: 'string', description: 'The error.' } },
  required: ['detail'],
  additionalProperties: false,
};
const rateLimitErrorSchema = {
  type: 'object',
  properties: {
    detail: { type: 'string' },
    retry_after: { type: 'integer', minimum: 1, description: 'Seconds to wait, as in `Retry-After`.' },
  },
  required: ['detail', 'retry_after'],
  additionalProperties: false,
};

const argumentsErrorSchema = {
  type: 'object',
  properties: {
    detail: { type: 'string' },
    errors: {
      type: 'array',
      description: 'The invalid arguments; absent if the body itself is invalid.',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'A JSON Pointer into the arguments.' },
          message: { type: 'string' },
        },
        required: ['pointer', 'message'],
        additionalProperties: false,
      },
    },
  },
  required: ['detail'],
  additionalProperties: false,
};

const createHeader = (description: string, type = 'string') => ({ description, schema: { type } });
const headers = {
  'X-Request-Id': createHeader(
    'The request id that the caller sent, if it consists of 1 to 128 characters from `A-Z a-z 0-9 . _ -`; otherwise a new one.',
  ),
  'RateLimit-Policy': createHeader('The limit that applied to the request: `"name";q=requests;w=seconds`.'),
  RateLimit: createHeader('The remaining quota: `"name";r=requests;t=seconds`.'),
  'Retry-After': createHeader(
    'Seconds to wait. On a 500 only while the embedding service is busy or loading its model.',
    'integer',
  ),
  'WWW-Authenticate': createHeader('`Bearer`; includes `resource_metadata` (RFC 9728) if access tokens are enabled.'),
  ETag: createHeader('Identifies this body; send it back as `If-None-Match`, or as `If-Match` where supported.'),
};

const security: Readonly<Record<RouteAuth, readonly JsonObject[]>> = {
  free: [],
  // A token is optional.
  open: [{ identityToken: [] }, {}],
  token: [{ identityToken: [] }],
  'token or key': [{ identityToken: [] }, { clientId: [], apiKey: [] }, { keyPair: [] }],
  admin: [{ identityToken: [] }],
  'admin or owner': [{ identityToken: [] }],
};

/** The errors that a route's authorization can cause. */
const callerErrors: Readonly<Record<RouteAuth, readonly ErrorCode[]>> = {
  free: [],
  open: ['rate_limited', 'internal'],
  token: ['invalid_token', 'token_required', 'rate_limited', 'identity_unavailable', 'internal'],
  'token or key': ['invalid_token', 'invalid_api_credentials', 'rate_limited', 'identity_unavailable', 'internal'],
  admin: ['invalid_token', 'token_required', 'admin_required', 'rate_limited', 'identity_unavailable', 'internal'],
  'admin or owner': [
    'invalid_token',
    'token_required',
    'owner_required',
    'rate_limited',
    'identity_unavailable',
    'internal',
  ],
};

const scopeErrorsOf = (auth: RouteAuth, scope: Route['scope']): readonly ErrorCode[] => {
  if (auth === 'free' || auth === 'open') return [];
  return [scope === null ? 'no_service_accounts' : 'scope_required'];
};

/** Returns all errors of a route. */
export const errorsOf = ({
  auth,
  scope,
  query,
  rejectsUnknownParameters,
  body,
  unregisteredError,
  supportsIfMatch,
  errors = [],
}: Route): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...callerErrors[auth],
    ...scopeErrorsOf(auth, scope),
    ...(query || rejectsUnknownParameters ? (['invalid_query'] as const) : []),
    ...(body ? (['invalid_body', 'body_too_large'] as const) : []),
    ...(unregisteredError ? [unregisteredError] : []),
    ...(supportsIfMatch ? (['precondition_failed'] as const) : []),
    ...errors,
  ]),
];

const operationOf = (route: Route, routes: readonly Route[], settings: HttpSettings, schemas: Schemas): JsonObject => {
  const { operation, tag, summary, description, auth, scope } = route;
  const parameters = [
    ...pathParametersOf(route),
    ...queryParametersOf(route, schemas),
    ...preconditionParametersOf(route),
  ];
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: [description, ...describeScopedParts(route)].join(' '),
    security: scope === null ? security[auth] : [...security[auth], { serviceAccount: [] }],
    ...(scope === null ? {} : { 'x-portico-scope': scope }),
    ...(route.rejectsUnknownParameters ? { 'x-portico-unknown-parameters': 'refused' } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body && route.body.kind !== 'form' ? { requestBody: requestBodyOf(route.body, settings, schemas) } : {}),
    responses: responsesOf(route, routes, schemas),
  };
};

/** Returns sentences about the additional scopes that a service account needs. */
const describeScopedParts = ({ scopedParts = [] }: Route): readonly string[] =>
  scopedParts.map((part) => `Service accounts also need \`${part.scope}\` for \`${nameOfPart(part)}\`.`);

const pathParametersOf = ({ params = {} }: Route) =>
  Object.entries(params).map(([name, { description, schema, example }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
    example,
  }));

const queryParametersOf = ({ query }: Route, schemas: Schemas) =>
  Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const schema = schemaOf(field as z.ZodType, 'input', schemas);
    const { description } = schema;
    return {
      name,
      in: 'query',
      required: false,
      allowEmptyValue: true,
      ...(description ? { description } : {}),
      // A list is one parameter with commas: a repeated parameter is rejected.
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      schema: toParameterSchema(schema),
    };
  });

const preconditionParametersOf = ({ supportsIfMatch }: Route) => (supportsIfMatch ? [ifMatchParameter] : []);
const ifMatchParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags of the collection, its metadata or its summary, in any coding. If none of them matches the current ' +
    'state, nothing changes. `*` matches any state. A weak tag never matches.',
  schema: { type: 'string' },
  example: '"1.2.lt4b9c.identity"',
};

const requestBodyOf = (
  { kind, schema, fields }: DescribedBody,
  { bodyLimitBytes, specBodyLimitBytes }: HttpSettings,
  schemas: Schemas,
): JsonObject => ({
  required: !fields.safeParse({}).success,
  description: `A JSON object of at most ${kind === 'document' ? specBodyLimitBytes : bodyLimitBytes} bytes.`,
  content: { 'application/json': { schema: schemaOf(schema, 'input', schemas), example: createExampleBody(schema) } },
});

/** Creates an example body from each field's first example or default; omits fields that have neither. */
const createExampleBody = (schema: z.ZodType): JsonObject => {
  const fields = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const examples = Object.entries(fields).map(([name, field]): [string, unknown] => {
    const { examples, default: fallback } = field.meta() ?? {};
    return [name, Array.isArray(examples) ? (examples as unknown[])[0] : fallback];
  });
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined));
};

const responsesOf = (route: Route, routes: readonly Route[], schemas: Schemas): JsonObject => {
  const {
    status,
    summary,
    mediaType = 'application/json',
    alternativeMediaType,
    response,
    alternativeStatuses = {},
    isConditional,
  } = route;
  const links = linksOf(route, routes);
  const content = {
    ...(response ? { [mediaType]: { schema: schemaOf(response, 'output', schemas) } } : {}),
    ...(alternativeMediaType ? { [alternativeMediaType]: { schema: { type: 'string' } } } : {}),
  };
  const responses: Record<string, unknown> = {
    [status]: {
      description: summary,
      headers: headersOf(route, isConditional ? ['ETag'] : []),
      ...(status === 204 ? {} : { content }),
      links,
    },
  };
  for (const [code, description] of Object.entries(alternativeStatuses)) {
    responses[code] = { description, headers: headersOf(route, []), content };
  }
  if (isConditional) {
    responses['304'] = { description: 'Not modified.', headers: headersOf(route, ['ETag']) };
  }
  if (route.auth === 'free') responses['4XX'] = unreadableResponse;
  for (const [code, codes] of groupByStatus(errorsOf(route)))
    responses[code] = describeErrorResponse(route, Number(code), codes);
  return responses;
};

/** The response to any request that is invalid HTTP, too slow, or too large. */
const unreadableResponse = {
  description:
    'The request cannot be read: 400 if it is malformed, 408 if it takes too long, 431 if its headers are too large',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

const headersOf = ({ auth }: Route, extraHeaders: readonly string[]): JsonObject => {
  const rateLimitHeaders = auth === 'free' ? [] : ['RateLimit-Policy', 'RateLimit'];
  const names = ['X-Request-Id', ...rateLimitHeaders, ...extraHeaders];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

const groupByStatus = (codes: readonly ErrorCode[]): readonly (readonly [string, readonly ErrorCode[]])[] => {
  const groups = new Map<string, ErrorCode[]>();
  for (const code of codes) {
    const status = String(errorStatuses[code]);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([a], [b]) => Number(a) - Number(b));
};

/** The reason that follows the fixed detail in an example. */
const reasonExamples: Partial<Record<ErrorCode, string>> = {
  invalid_body: 'email must be an email address',
  invalid_query: 'page must be at least 1',
  scope_required: 'catalog:write',
  too_many_service_accounts: 'revoke some of the 1000 first',
  too_many_credentials: 'a collection has at most 100',
  own_credentials_off: 'an administrator of the catalog can allow them for this collection',
  origin_changed: 'its origins are https://api.example.com',
  scheme_not_found: 'the document has bearerAuth, apiKey',
  body_too_large: 'at most 262144 bytes are accepted',
  invalid_arguments: '/id is required',
};

const describeErrorResponse = (route: Route, status: number, codes: readonly ErrorCode[]): JsonObject => {
  const isRateLimited = status === 429;
  const isBusy = codes.includes('embedding_unavailable');
  const extraHeaders = isRateLimited || isBusy ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
  return {
    description: codes.map((code) => errorDetails[code]).join(', or: '),
    headers: headersOf(route, extraHeaders),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${schemaNameOf(codes)}` },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
};

const schemaNameOf = (codes: readonly ErrorCode[]): string => {
  if (codes.includes('rate_limited')) return 'RateLimitError';
  return codes.includes('invalid_arguments') ? 'ArgumentsError' : 'Error';
};

const exampleOf = (code: ErrorCode): JsonObject => ({
  detail: reasonExamples[code] ? `${errorDetails[code]}: ${reasonExamples[code]}` : errorDetails[code],
  ...(code === 'rate_limited' ? { retry_after: 12 } : {}),
  ...(code === 'invalid_arguments' ? { errors: [{ pointer: '/id', message: 'is required' }] } : {}),
});

/**
 * Returns the operations that a response links to (OpenAPI, "Link Object"): those with a path parameter for an
 * identifier that the response supplies. The caller has to know any other parameters.
 */
const linksOf = ({ operation: sourceOperation, linkParameters = {} }: Route, routes: readonly Route[]): JsonObject => {
  const links = routes.flatMap(({ isHidden, operation, params = {} }) => {
    const parameters = Object.entries(linkParameters).filter(([name]) => name in params);
    return isHidden || operation === sourceOperation || parameters.length === 0
      ? []
      : [[operation, { operationId: operation, parameters: Object.fromEntries(parameters) }] as const];
  });
  return Object.fromEntries(links);
};
