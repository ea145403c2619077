import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { routes, type Route } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Client, Start } from '../subject.ts';

const requests = 3_000;
/** The seed determines the requests. A failure prints it, so that it can be reproduced. */
const seed = 20_261_122;

interface RandomRequest {
  readonly route: Route;
  readonly params: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly contentType: string;
  readonly caller: 'admin' | 'client by token' | 'client by key' | 'client by one string' | 'anonymous' | 'garbage';
}
type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  /**
   * The route's own example, with one member replaced (unless `member` is null), and truncated to the fraction `lengthToKeep`.
   */
  | {
      readonly kind: 'example';
      readonly member: number | null;
      readonly value: unknown;
      readonly lengthToKeep: number;
    };

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '0', '-1', 'null', '[]', '\u0000', '\ud800', '__proto__', '1e999', 'x'.repeat(300)),
);
const oddValue = fc.oneof(fc.jsonValue({ maxDepth: 3 }), oddText, fc.integer(), fc.double());

const randomRequest: fc.Arbitrary<RandomRequest> = fc.record({
  route: fc.constantFrom(
    ...routes.filter(({ requiresLocalIssuer, requiresAccessTokens }) => !requiresLocalIssuer && !requiresAccessTokens),
  ),
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
        lengthToKeep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      }),
    },
  ),
  contentType: fc.oneof(
    { weight: 8, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json;', ''),
  ),
  caller: fc.constantFrom(
    'admin',
    'admin',
    'client by token',
    'client by key',
    'client by one string',
    'anonymous',
    'garbage',
  ),
});

/** Tests that for any input, the OpenAPI document lists the response, errors are JSON, and no response is a 500. */
export const badInputSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 1_000_000, windowSeconds: 60 } },
  });
  let client: Client;
  let collection: string;
  let examples: ReadonlyMap<string, unknown>;
  beforeAll(async () => {
    client = await fixtures.newClient();
    collection = await fixtures.newCollection();
    examples = examplesOf((await call('GET', '/openapi.json')).body);
  });

  const credentialsOf = (caller: RandomRequest['caller']): CallOptions => {
    switch (caller) {
      case 'admin':
        return { token: fixtures.admin };
      case 'client by token':
        return { token: client.token };
      case 'client by key':
        return { key: client.key };
      case 'client by one string':
        return { token: `${client.key.clientId}.${client.key.secret}` };
      case 'garbage':
        return { token: 'garbage' };
      case 'anonymous':
        return {};
    }
  };

  const bytesOf = (body: Body, operation: string): Uint8Array | string | undefined => {
    if (body.kind === 'none') return undefined;
    if (body.kind === 'bytes') return body.bytes;
    if (body.kind === 'text') return body.text;
    const example = examples.get(operation) ?? {};
    const names = Object.keys(example);
    const replacement = body.member === null ? {} : { [names[body.member % names.length] ?? 'x']: body.value };
    const text = JSON.stringify({ ...example, ...replacement });
    return text.slice(0, Math.ceil(text.length * body.lengthToKeep));
  };

  test(`${requests} requests of every kind get documented responses`, async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(randomRequest, async ({ route, params, query, body, contentType, caller }) => {
        let index = 0;
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
          const param = params[index++ % params.length] ?? '';
          return (
            encodeURIComponent(
              (param === 'known' ? (name === 'collection_id' ? collection : client.id) : param).toWellFormed(),
            ) || '-'
          );
        });
        const search = new URLSearchParams(query).toString();
        const raw = bytesOf(body, route.operation);
        const reply = await call(route.method, search ? `${path}?${search}` : path, {
          ...credentialsOf(caller),
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
    // The requests pass the first check until one of them happens to delete their client.
    for (const status of [200, 201, 400, 401, 403, 404])
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(0);
  });
};

/** Returns the example body of each operation that accepts a body. */
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
