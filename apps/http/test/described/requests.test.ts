import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApiDocument, routes } from '../../src/index.ts';
import { parseExpiry } from '@portico/domain';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { startEchoingApi } from '../start-echoing-api.ts';
import { httpSettings, startInMemory } from '../start-in-memory.ts';
import { smallDocument } from '../subject.ts';
import { createValueMaker, type Schema } from './json-schema-values.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly allowEmptyValue?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example: object }> };
}

const document = JSON.parse(JSON.stringify(buildOpenApiDocument(routes, httpSettings))) as {
  paths: Record<string, Record<string, Operation>>;
};
const valuesOf = createValueMaker(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

/** The key of `GET /forecast`. */
const operationOfForecast = '3tf453nz26xw4zwc';

const seed = 20_261_122;
const json = ['Content-Type', 'application/json'];

/** Whether the expiry is in the past. JSON Schema cannot require a time in the future; the description does. */
const isPast = ({ raw, status, text }: Readonly<{ raw: string; status: number; text: string }>): boolean => {
  const { expires_at: expiry } = JSON.parse(raw) as { readonly expires_at?: unknown };
  const instant = typeof expiry === 'string' ? parseExpiry(expiry.trim()) : null;
  const isRejected =
    status === 400 && text.startsWith('{"detail":"Invalid request body: expires_at must be in the future; it is now ');
  return isRejected && instant !== null && instant <= Date.now();
};

/** Whether the body names operations that the document lacks, which no schema can express. */
const isUnknownOperation = ({ status, text }: Readonly<{ status: number; text: string }>): boolean =>
  status === 400 &&
  text.startsWith('{"detail":"Invalid request body: the document has no operations with these keys: ');

/** Rules that a schema does not express: about several fields, names that differ only by case, the time, and the setup. */
const rulesBeyondSchemas = [
  'an active collection has only a state',
  'must not repeat',
  'must be at most 400 days from now',
  'must be in the future',
  'must be in 1970 or later',
  'must not be before since',
  'url must use https: ',
  'successor must be the id of a collection that you can see',
];

const isBeyondSchemas = ({ status, text }: Readonly<{ status: number; text: string }>): boolean =>
  status === 400 && rulesBeyondSchemas.some((rule) => text.includes(rule));

/** Returns a value as query text; null if it cannot be written as query text. */
const toQueryText = (value: unknown): string | null => {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(',') : null;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
};
/**
 * Returns the possible interpretations of query text: the text, its comma-separated parts, or its number or boolean.
 */
const readingsOf = (text: string): readonly unknown[] =>
  /^(?:\d+|true|false)$/.test(text) ? [text, JSON.parse(text)] : [text, text.split(',')];
const toQueryTexts = (values: readonly unknown[]) => [
  ...new Set(values.map(toQueryText).filter((text) => text !== null)),
];

/**
 * The service accepts the values that its OpenAPI document allows and returns 400 for forbidden values, in every query
 * parameter and body. This includes the rules for all operations in the introduction (white space, null and empty
 * strings).
 */
describe('the request schemas of the OpenAPI document', () => {
  const { fixtures, call, asAdmin } = provideSubject(startInMemory, {
    http: { bodyLimitBytes: 4_194_304, specBodyLimitBytes: 4_194_304 },
  });
  let targets: Readonly<Record<string, string>>;
  let closeApi: () => Promise<void>;
  afterAll(() => closeApi());

  beforeAll(async () => {
    const api = await startEchoingApi();
    closeApi = api.close;
    const client = await fixtures.newClient();
    const rule = { allowed_limit: 1_000_000, window_seconds: 60 };
    await asAdmin('POST', '/api/rate-limits/tiers', { tier: 'standing', ...rule });
    const override = await asAdmin('POST', '/api/rate-limits/overrides', { client_id: client.id, ...rule });
    const account = await asAdmin('POST', '/api/service-accounts', { name: 'standing', scopes: ['audit:read'] });
    const group = await asAdmin('POST', '/api/groups', { name: 'Standing crew' });
    targets = {
      account_id: String(account.body.id),
      group_id: String(group.body.id),
      user_id: client.id,
      client_profile_id: client.id,
      client_id: client.id,
      collection_id: await fixtures.newCollection({
        // The parameter is the one in the example of arguments.
        openapi_spec: {
          ...smallDocument,
          servers: [{ url: api.url }],
          paths: { '/forecast': { get: { parameters: [{ name: 'id', in: 'query', schema: { type: 'string' } }] } } },
        },
      }),
      operation_key: operationOfForecast,
      tier: 'standing',
      scheme: 'unknownScheme',
      id: String(override.body.id),
    };
  });

  const send = (
    { path, method, security }: (typeof operations)[number],
    query: string,
    raw?: string,
  ): Promise<Reply> => {
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => targets[name] ?? 'x');
    const options: CallOptions = security.length > 0 ? { token: fixtures.admin } : {};
    return call(method, target + query, {
      ...(path.endsWith('/register') ? {} : options),
      ...(raw === undefined ? {} : { raw, headers: json }),
    });
  };

  const exampleOf = ({ requestBody }: Operation): string | undefined => {
    const example = requestBody?.content['application/json']?.example;
    return example && JSON.stringify(example);
  };

  const parameters = operations.flatMap((operation) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => [`${operation.operationId} ${parameter.name}`, operation, parameter] as const),
  );

  test.each(parameters)(
    'match the service for parameter %s',
    async (_name, operation, { name, schema, allowEmptyValue }) => {
      const { isAllowed, arbitrary, edgeCases, invalidValues } = valuesOf(schema);
      const random = fc.sample(arbitrary, { numRuns: 40, seed });
      const sendWith = async (value: string) => {
        const reply = await send(operation, `?${name}=${encodeURIComponent(value)}`, exampleOf(operation));
        return { value, status: reply.status, text: reply.text.slice(0, 200) };
      };
      const allowedTexts = toQueryTexts([...edgeCases, ...random]);
      const rejectedTexts = toQueryTexts(invalidValues).filter(
        (text) => !readingsOf(text).some(isAllowed) && !(text === '' && allowEmptyValue),
      );
      expect(allowedTexts.length).toBeGreaterThan(1);
      expect(rejectedTexts.length).toBeGreaterThan(3);
      for (const value of [...allowedTexts, ...(allowEmptyValue ? [''] : [])]) {
        const reply = await sendWith(value);
        // A conflict with stored data does not make the request invalid.
        // A name may be unknown or ambiguous.
        expect([reply, reply.status < 300 || [404, 409].includes(reply.status)]).toEqual([reply, true]);
      }
      for (const value of rejectedTexts) expect(await sendWith(value)).toMatchObject({ value, status: 400 });
    },
  );

  const bodies = operations
    .filter(({ requestBody }) => requestBody)
    .map((operation) => [operation.operationId, operation] as const);

  test.each(bodies)('match the service for the body of %s', async (_name, operation) => {
    const { arbitrary, edgeCases, invalidValues } = valuesOf(
      operation.requestBody?.content['application/json']?.schema ?? {},
    );
    const random = fc.sample(arbitrary, { numRuns: 60, seed });
    expect(invalidValues.length).toBeGreaterThan(10);
    const sendWith = async (body: unknown) => {
      const raw = JSON.stringify(body);
      const reply = await send(operation, '', raw);
      return { raw, status: reply.status, text: reply.text.slice(0, 200) };
    };
    for (const body of [...edgeCases, ...random]) {
      const reply = await sendWith(body);
      if (isPast(reply) || isUnknownOperation(reply) || isBeyondSchemas(reply)) continue;
      expect([reply, reply.status === 400 || reply.status >= 500]).toEqual([reply, false]);
    }
    for (const body of invalidValues) {
      const reply = await sendWith(body);
      expect([reply, reply.status]).toEqual([reply, 400]);
    }
  });

  test('are tested for every query parameter and body', () => {
    expect(parameters.length).toBeGreaterThan(20);
    expect(bodies.length).toBe(routes.filter(({ body, isHidden }) => body !== null && !isHidden).length);
  });
});
