import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { routes, type Route } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Client, Start } from '../subject.ts';

const requests = 3_000;
/** Another seed makes other requests; a failure prints this one, so that it can be reproduced. */
const seed = 20_261_122;

interface Question {
  readonly route: Route;
  readonly params: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly contentType: string;
  readonly who: 'admin' | 'client by token' | 'client by key' | 'client by one string' | 'nobody' | 'garbage';
}
type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  /** The route's own example, with one member replaced (unless null), and cut off after the fraction `keep`. */
  | { readonly kind: 'example'; readonly member: number | null; readonly value: unknown; readonly keep: number };

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '0', '-1', 'null', '[]', '\u0000', '\ud800', '__proto__', '1e999', 'x'.repeat(300)),
);
const oddValue = fc.oneof(fc.jsonValue({ maxDepth: 3 }), oddText, fc.integer(), fc.double());

const question: fc.Arbitrary<Question> = fc.record({
  route: fc.constantFrom(...routes.filter(({ ofLocalIssuer, ofAccessTokens }) => !ofLocalIssuer && !ofAccessTokens)),
  params: fc.array(fc.oneof(fc.uuid(), fc.constant('known'), oddText), { minLength: 2, maxLength: 2 }),
  query: fc.dictionary(
    fc.constantFrom(
      'page',
      'pageSize',
      'active_only',
      'limit',
      'cursor',
      'strict',
      'include',
      'source',
      'from',
      'to',
      'actor_id',
      'x',
    ),
    oddText,
    { maxKeys: 3 },
  ),
  body: fc.oneof(
    fc.constant({ kind: 'none' } as const),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ kind: 'bytes', bytes }) as const),
    fc.json({ maxDepth: 5 }).map((text) => ({ kind: 'text', text }) as const),
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('example' as const),
        member: fc.option(fc.nat(10), { freq: 2 }),
        value: oddValue,
        keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      }),
    },
  ),
  contentType: fc.oneof(
    { weight: 8, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json;', ''),
  ),
  who: fc.constantFrom(
    'admin',
    'admin',
    'client by token',
    'client by key',
    'client by one string',
    'nobody',
    'garbage',
  ),
});

/** Whatever is sent, the answer is one that the OpenAPI document lists, errors are JSON, and none is a 500. */
export const badInputSuite = (start: Start): void => {
  const { cast, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 1_000_000, windowSeconds: 60 } },
  });
  let client: Client;
  let collection: string;
  let examples: ReadonlyMap<string, unknown>;
  beforeAll(async () => {
    client = await cast.newClient();
    collection = await cast.newCollection();
    examples = examplesOf((await call('GET', '/openapi.json')).body);
  });

  const credentials = (who: Question['who']): CallOptions => {
    switch (who) {
      case 'admin':
        return { token: cast.admin };
      case 'client by token':
        return { token: client.token };
      case 'client by key':
        return { key: client.key };
      case 'client by one string':
        return { token: `${client.key.clientId}.${client.key.secret}` };
      case 'garbage':
        return { token: 'garbage' };
      case 'nobody':
        return {};
    }
  };

  const bytesOf = (body: Body, operation: string): Uint8Array | string | undefined => {
    if (body.kind === 'none') return undefined;
    if (body.kind === 'bytes') return body.bytes;
    if (body.kind === 'text') return body.text;
    const example = examples.get(operation) ?? {};
    const names = Object.keys(example);
    const replaced = body.member === null ? {} : { [names[body.member % names.length] ?? 'x']: body.value };
    const text = JSON.stringify({ ...example, ...replaced });
    return text.slice(0, Math.ceil(text.length * body.keep));
  };

  test(`${requests} requests of every kind get documented answers`, async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(question, async ({ route, params, query, body, contentType, who }) => {
        let at = 0;
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
          const given = params[at++ % params.length] ?? '';
          return (
            encodeURIComponent(
              (given === 'known' ? (name === 'collection_id' ? collection : client.id) : given).toWellFormed(),
            ) || '-'
          );
        });
        const search = new URLSearchParams(query).toString();
        const raw = bytesOf(body, route.operation);
        const reply = await call(route.method, search ? `${path}?${search}` : path, {
          ...credentials(who),
          ...(raw === undefined ? {} : { raw, headers: contentType ? ['Content-Type', contentType] : [] }),
        });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        expect(reply.status).not.toBe(500);
        if (reply.status < 400 || reply.status === 503) return;
        expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
        expect(Object.keys(reply.body)).toEqual(reply.status === 429 ? ['detail', 'retry_after'] : ['detail']);
        expect(reply.text).not.toMatch(/\bat .*:\d+:\d+|node_modules|SQLITE/);
      }),
      { seed, numRuns: requests },
    );
    // The requests get past the first check, until one of them happens to delete their client.
    for (const status of [200, 201, 400, 401, 403, 404])
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(0);
  });
};

/** Returns the example body of each operation that takes one. */
const examplesOf = (document: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> => {
  const paths = document.paths as Record<
    string,
    Record<string, { operationId: string; requestBody?: { content: Record<string, { example?: unknown }> } }>
  >;
  return new Map(
    Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, requestBody }) => {
        const example = requestBody?.content['application/json']?.example;
        return example === undefined ? [] : [[operationId, example] as const];
      }),
  );
};
