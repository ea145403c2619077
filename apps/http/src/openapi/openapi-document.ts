import { errorDetails, type ErrorCode } from '@portico/domain';
import { z } from 'zod';
import { errorStatuses } from '../errors.ts';
import type { Caller, Route } from '../route.ts';
import type { HttpSettings } from '../settings.ts';

type JsonObject = Readonly<Record<string, unknown>>;
type Schemas = Record<string, unknown>;

/** The service's own OpenAPI document (3.1), made from the route table: what validates requests describes them. */
export const openApiDocument = (routes: readonly Route[], settings: HttpSettings): JsonObject => {
  const schemas: Schemas = { Error: errorSchema, RateLimitError: rateLimitErrorSchema };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, settings, schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Portico', version: settings.version, description: introduction },
    servers: [{ url: '/' }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, headers, securitySchemes },
  };
};

const introduction =
  'A catalog of API collections: each holds a name, a description and an OpenAPI document. Users register, an administrator ' +
  'approves them and grants them collections; approved clients read and search what was granted to them, by the identity ' +
  "provider's token or by an API key pair.\n\n" +
  'Every error is a JSON object with a `detail`. Requests of clients are counted; `RateLimit` and `RateLimit-Policy` say ' +
  'how many are left, and a 429 says in `retry_after` when to come back. Unknown fields of a body are ignored. A path is the ' +
  'same with and without a slash at its end.';

const tags: readonly (readonly [Route['tag'], string])[] = [
  ['Profiles', 'Registration, approval, roles and API credentials.'],
  ['Collections', 'The catalog.'],
  ['Access', 'Which client may use which collection.'],
  ['Audit', 'The audit log.'],
  ['Rate limits', 'Tiers and overrides for single clients.'],
  ['Search', 'Search in natural language.'],
  ['Service', 'Health and documentation.'],
];

const errorSchema = {
  type: 'object',
  properties: { detail: { type: 'string', description: 'What is wrong.' } },
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

const header = (description: string, type = 'string') => ({ description, schema: { type } });
const headers = {
  'X-Request-Id': header("The caller's own, where it is 1 to 128 of `A-Z a-z 0-9 . _ -`; else a new one."),
  'RateLimit-Policy': header('The limit that the request was judged by: `"name";q=requests;w=seconds`.'),
  RateLimit: header('What is left of it: `"name";r=requests;t=seconds`.'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'WWW-Authenticate': header('`Bearer`'),
  ETag: header('Names this very body; send it back as `If-None-Match`.'),
};

const securitySchemes = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "An ID token of the identity provider. For admin-only operations the user's profile must be an admin's.",
  },
  clientId: { type: 'apiKey', in: 'header', name: 'X-Client-ID', description: 'The `client_id` issued on approval.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The `client_secret` issued on approval.' },
};

const security: Readonly<Record<Caller, readonly JsonObject[]>> = {
  free: [],
  open: [{}, { identityToken: [] }],
  token: [{ identityToken: [] }],
  'token or key': [{ identityToken: [] }, { clientId: [], apiKey: [] }],
  admin: [{ identityToken: [] }],
};

/** What anyone who is asked for a credential can be answered with. */
const callerErrors: Readonly<Record<Caller, readonly ErrorCode[]>> = {
  free: [],
  open: ['rate_limited', 'internal'],
  token: ['invalid_token', 'rate_limited', 'identity_unavailable', 'internal'],
  'token or key': ['invalid_token', 'invalid_api_credentials', 'rate_limited', 'identity_unavailable', 'internal'],
  admin: ['invalid_token', 'admin_required', 'rate_limited', 'identity_unavailable', 'internal'],
};

/** All refusals that a route knows. */
export const errorsOf = ({ who, query, body, unregistered, errors = [] }: Route): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...callerErrors[who],
    ...(query ? (['invalid_query'] as const) : []),
    ...(body ? (['invalid_body', 'body_too_large'] as const) : []),
    ...(unregistered ? [unregistered] : []),
    ...errors,
  ]),
];

const operationOf = (route: Route, settings: HttpSettings, schemas: Schemas): JsonObject => {
  const { operation, tag, summary, description, who } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route, schemas)];
  return {
    operationId: operation,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: security[who],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBodyOf(route.body, settings, schemas) } : {}),
    responses: responsesOf(route, schemas),
  };
};

const pathParameters = ({ params = {} }: Route) =>
  Object.entries(params).map(([name, { description, format, example }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...(format ? { format } : {}) },
    example,
  }));

const queryParameters = ({ query }: Route, schemas: Schemas) =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = withoutNull(schemaOf(schema as z.ZodType, 'input', schemas));
    return {
      name,
      in: 'query',
      required: false,
      ...(description ? { description } : {}),
      // One parameter with commas: whatever is given twice is refused.
      ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
      schema: rest,
    };
  });

/** A query string has no null: what JSON may say in two ways is said here by leaving it out. */
const withoutNull = (schema: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [only] = anyOf.filter((option: JsonObject) => option['type'] !== 'null') as JsonObject[];
  return { ...only, ...rest };
};

const requestBodyOf = (
  { kind, schema, fields }: NonNullable<Route['body']>,
  { bodyLimitBytes, specBodyLimitBytes }: HttpSettings,
  schemas: Schemas,
): JsonObject => ({
  required: !fields.safeParse({}).success,
  description: `A JSON object of at most ${kind === 'document' ? specBodyLimitBytes : bodyLimitBytes} bytes.`,
  content: { 'application/json': { schema: schemaOf(schema, 'input', schemas), example: exampleBody(schema) } },
});

/** A body made of the first example of each field; a field that has neither example nor default is left out. */
const exampleBody = (schema: z.ZodType): JsonObject => {
  const fields = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const examples = Object.entries(fields).map(([name, field]): [string, unknown] => {
    const { examples, default: fallback } = field.meta() ?? {};
    return [name, Array.isArray(examples) ? (examples as unknown[])[0] : fallback];
  });
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined));
};

const responsesOf = (route: Route, schemas: Schemas): JsonObject => {
  const { status, summary, media = 'application/json', response, alternatives = {}, conditional } = route;
  const content = response ? { [media]: { schema: schemaOf(response, 'output', schemas) } } : {};
  const responses: Record<string, unknown> = {
    [status]: { description: summary, headers: headersOf(route, conditional ? ['ETag'] : []), content },
  };
  for (const [code, description] of Object.entries(alternatives)) {
    responses[code] = { description, headers: headersOf(route, []), content };
  }
  if (conditional) {
    responses['304'] = { description: 'The caller has it already.', headers: headersOf(route, ['ETag']) };
  }
  for (const [code, codes] of byStatus(errorsOf(route))) responses[code] = errorResponse(route, Number(code), codes);
  return responses;
};

const headersOf = ({ who }: Route, more: readonly string[]): JsonObject => {
  const counted = who === 'free' ? [] : ['RateLimit-Policy', 'RateLimit'];
  const names = ['X-Request-Id', ...counted, ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

const byStatus = (codes: readonly ErrorCode[]): readonly (readonly [string, readonly ErrorCode[]])[] => {
  const groups = new Map<string, ErrorCode[]>();
  for (const code of codes) {
    const status = String(errorStatuses[code]);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([a], [b]) => Number(a) - Number(b));
};

/** What stands after the fixed detail in an example, where something does. */
const because: Partial<Record<ErrorCode, string>> = {
  invalid_body: 'email must be an e-mail address',
  invalid_query: 'page must be at least 1',
  body_too_large: 'at most 262144 bytes are taken',
};

const errorResponse = (route: Route, status: number, codes: readonly ErrorCode[]): JsonObject => {
  const limited = status === 429;
  const more = limited ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
  return {
    description: codes.map((code) => errorDetails[code]).join(', or: '),
    headers: headersOf(route, more),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${limited ? 'RateLimitError' : 'Error'}` },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
};

const exampleOf = (code: ErrorCode): JsonObject => ({
  detail: because[code] ? `${errorDetails[code]}: ${because[code]}` : errorDetails[code],
  ...(code === 'rate_limited' ? { retry_after: 12 } : {}),
});

/** A zod schema as JSON Schema; those with an id become components. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): JsonObject => {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  delete root.$schema; // The whole document is of one dialect.
  for (const [id, definition] of Object.entries($defs)) {
    schemas[id] = rewritten(definition);
  }
  return rewritten(root) as JsonObject;
};

const rewritten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' || typeof (value as JsonObject)['id'] === 'object')
      .map(([key, member]) => [
        key,
        key === '$ref' && typeof member === 'string'
          ? member.replace('#/$defs/', '#/components/schemas/')
          : rewritten(member),
      ]),
  );
};
