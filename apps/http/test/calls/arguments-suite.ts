import { beforeAll, describe, expect, test } from 'vitest';
import type { Start } from '../subject.ts';
import { provideCallWorld, type CallTarget } from './call-world.ts';
import { bearer, keyInCookie, keyInQuery } from './credential-kinds.ts';
import { noRequest, respondWith } from './hostile-api.ts';

interface ArgumentCase {
  readonly name: string;
  readonly args: object;
  /** Whether the call is rejected before it is sent. */
  readonly isRejected?: boolean;
}

const dotSegments = [
  ...['.', '..', '%2e', '%2E%2e', '.%2e', '%252e%252e', '%25252e%25252e', '../admin', '..\\admin', '..%2fadmin'],
  ...[
    '..%5cadmin',
    '..%252fadmin',
    'x/../../admin',
    'x/..',
    './x',
    '..;/admin',
    '..;',
    '..%3bx',
    '/../',
    '..?',
    '..#x',
  ],
];

const cases: readonly ArgumentCase[] = [
  ...dotSegments.map((id) => ({ name: `the path ${JSON.stringify(id)}`, args: { id }, isRejected: true })),
  ...[
    '/',
    '//evil.example',
    '?key=x',
    '#x',
    'a b',
    '@evil.example',
    ':80',
    'a\\b',
    '%',
    '%zz',
    'é',
    '\u202e',
    '...',
  ].map((id) => ({ name: `the path ${JSON.stringify(id)}`, args: { id } })),
  { name: 'an empty path', args: { id: '' }, isRejected: true },
  { name: 'a path of 8,000 characters', args: { id: 'x'.repeat(8_000) } },
  ...['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u0100b', '\ud83d\ude00'].map((trace) => ({
    name: `the header ${JSON.stringify(trace)}`,
    args: { id: '7', 'X-Trace': trace },
    isRejected: true,
  })),
  { name: 'the header Host', args: { id: '7', Host: 'evil.example' }, isRejected: true },
  {
    name: 'a header that replaces the method',
    args: { id: '7', 'X-HTTP-Method-Override': 'DELETE' },
    isRejected: true,
  },
  { name: 'an unknown argument', args: { id: '7', Authorization: 'Bearer x' }, isRejected: true },
  {
    name: 'a member named __proto__',
    args: JSON.parse('{"id":"7","__proto__":{"q":"x"}}') as object,
  },
  { name: 'a member named constructor', args: { id: '7', constructor: 'x' }, isRejected: true },
  { name: 'an exploded object with __proto__', args: { id: '7', filter: JSON.parse('{"__proto__":"x"}') as object } },
  { name: 'an exploded object with separators', args: { id: '7', filter: { 'a&b=c#d': 'e&f=g#h' } } },
  { name: 'a query with separators', args: { id: '7', q: '&key=x#y?z' } },
  { name: 'a query of a body', args: { id: '7', q: 'x\r\n\r\nGET /admin HTTP/1.1' } },
  { name: 'a body of a request', args: { id: '7', body: '\r\n\r\nDELETE /v1/items/8 HTTP/1.1\r\nHost: x\r\n\r\n' } },
  {
    name: 'an exploded object with 10,000 members',
    args: { id: '7', filter: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, 1])) },
  },
];

/** Tests that arguments reach nothing but the operation. */
export const argumentsSuite = (start: Start): void => {
  const world = provideCallWorld(start);
  let target: CallTarget;
  beforeAll(async () => {
    world.api.respond = (socket) => socket.end(respondWith('fine'));
    target = await world.create(bearer);
  });

  test.each(cases)('$name reaches nothing but the operation', async ({ args, isRejected = false }) => {
    for (const [way, send] of world.ways) {
      const count = world.api.requests.length;
      const { result } = await send(target, args);
      const received = world.api.requests.slice(count);
      if (isRejected) {
        expect(String(result['detail']), way).toMatch(/Invalid arguments|Invalid request body/);
        expect(received).toEqual([]);
        continue;
      }
      // A request that an HTTP server cannot read may also be rejected.
      if (received.length === 0) {
        expect(String(result['detail']), way).toMatch(/Invalid arguments|too long/);
        continue;
      }
      expect([received.length, result['status']], JSON.stringify(result).slice(0, 300)).toEqual([1, 200]);
      const [{ method, url, headers } = noRequest] = received;
      expect(method).toBe('PUT');
      expect(url).toMatch(/^\/v1\/items\/[^/?#\\]+(?:\?[^#]*)?$/);
      expect(headers['host']).toEqual([new URL(world.api.url).host]);
      expect(headers['authorization']).toEqual([`Bearer ${bearer.secrets[0] ?? ''}`]);
      expect(Object.keys(headers).sort()).not.toContain('x-evil');
    }
  });

  test('a lone surrogate and a null byte are rejected', async () => {
    const path = `/api/collections/${target.id}/operations/${target.keys['putItem'] ?? ''}/call`;
    for (const id of ['\\ud800', '\\u0000']) {
      const count = world.api.requests.length;
      const reply = await world.call('POST', path, {
        key: target.client.key,
        raw: `{"arguments":{"id":"${id}"}}`,
        headers: ['Content-Type', 'application/json'],
      });
      expect(reply.status).toBe(400);
      expect(world.api.requests.length).toBe(count);
    }
  });

  test.each([
    ['query', keyInQuery, { filter: { key: 'mine' } }],
    ['query, percent-encoded,', keyInQuery, { filter: { 'k%65y': 'mine' } }],
    ['cookie', keyInCookie, { settings: { key: 'mine' } }],
  ])('an exploded object cannot add a %s of the name of the credential', async (_place, kind, args) => {
    const other = await world.create(kind);
    for (const [, send] of world.ways) {
      const count = world.api.requests.length;
      const { result } = await send(other, { id: '7', ...args });
      const received = world.api.requests.slice(count);
      if (received.length === 0) expect(String(result['detail'])).toContain('Invalid arguments');
      for (const { url, headers } of received) {
        const { searchParams } = new URL(url, world.api.url);
        const cookies = (headers['cookie'] ?? []).flatMap((cookie) => cookie.split('; '));
        const values = [...searchParams.getAll('key'), ...cookies.filter((cookie) => cookie.startsWith('key='))];
        expect(values).toHaveLength(1);
        expect(values.join()).not.toContain('mine');
      }
    }
  });

  describe('limits', () => {
    const byRest = (args: object, fields: object = {}, headers: readonly string[] = []) =>
      world.callByRest(target, args, fields, { headers });

    test('a body of 1 MiB is sent, and one byte more is rejected', async () => {
      const result = await byRest({ id: '7', body: 'x'.repeat(1_048_576) });
      expect(result.reply.status).toBe(200);
      expect(world.api.requests.at(-1)?.body.length).toBe(1_048_576);
      const count = world.api.requests.length;
      expect((await byRest({ id: '7', body: 'x'.repeat(1_048_577) })).reply.status).toBeOneOf([400, 413]);
      expect(world.api.requests.length).toBe(count);
    });

    test.each([
      [99, 400],
      [100, 200],
      [60_000, 200],
      [60_001, 400],
    ])('timeout_ms %i results in %i', async (timeout_ms, status) => {
      expect((await byRest({ id: '7' }, { timeout_ms })).reply.status).toBe(status);
    });

    test('Idempotency-Key is passed, and rejected if it has 129 characters', async () => {
      const count = world.api.requests.length;
      const send = (key: string) => byRest({ id: '7' }, {}, ['Idempotency-Key', key]);
      expect((await send('k'.repeat(128))).reply.status).toBe(200);
      expect(world.api.requests.at(-1)?.headers['idempotency-key']).toEqual(['k'.repeat(128)]);
      expect((await send('k'.repeat(129))).reply.status).toBe(400);
      expect(world.api.requests.length).toBe(count + 1);
    });
  });
};
