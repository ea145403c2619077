import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { createCast, expectStatus, type Client, type Start } from '../subject.ts';
import type { CallOptions } from '../client.ts';
import { refusalOf, type Reply } from '../reply.ts';
import { clients } from './clients.ts';

const revision = '2026-07-28';
const envelope = (version: string = revision) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
});
const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

interface RpcBody {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The protocol itself, message by message. */
export const protocolSuite = (start: Start): void => {
  const { subject, cast, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let client: Client;

  beforeAll(async () => {
    client = await cast.newClient();
  });

  const post = (options: CallOptions): Promise<Reply> => call('POST', '/mcp', { key: client.key, ...options });
  /** A message of the current revision, with the headers that it has to have. */
  const send = (method: string, params: Readonly<Record<string, unknown>> = {}, headers?: readonly string[]) => {
    const name = params['name'];
    const own = ['MCP-Protocol-Version', revision, 'Mcp-Method', method];
    const named = typeof name === 'string' ? ['Mcp-Name', name] : [];
    return post({ json: request(method, { ...params, ...envelope() }), headers: headers ?? [...own, ...named] });
  };
  const rpc = ({ text }: Reply): RpcBody => JSON.parse(text) as RpcBody;
  const outcome = (reply: Reply): readonly unknown[] => [reply.status, rpc(reply).error?.code];

  test('server/discover names revision, capabilities and service', async () => {
    const { result } = rpc(expectStatus(await send('server/discover'), 200));
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [revision],
      capabilities: { tools: {} },
      cacheScope: 'public',
    });
  });

  test('tools/list takes at most 4 KB, may be cached, and is the same for all callers', async () => {
    const reply = expectStatus(await send('tools/list'), 200);
    expect(reply.bytes.length).toBeLessThanOrEqual(4_096);
    expect(rpc(reply).result).toMatchObject({ resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' });
    const other = await post({
      key: (await cast.newClient()).key,
      json: request('tools/list', envelope()),
      headers: ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/list'],
    });
    expect(other.text).toBe(reply.text);
  });

  test('the revision before begins with initialize, and its notifications are accepted', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begun = await post({ json: request('initialize', params) });
    expect(rpc(expectStatus(begun, 200)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(begun.headers['mcp-session-id']).toBeUndefined();
    expect(begun.headers['content-type']).toContain('application/json');
    const accepted = await post({ json: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    expect([accepted.status, accepted.text]).toEqual([202, '']);
    expect(rpc(expectStatus(await post({ json: request('ping') }), 200)).result).toEqual({});
  });

  test('every answer is one that nobody keeps', async () => {
    expect((await send('tools/list')).headers['cache-control']).toBe('no-store');
  });

  test.each<[string, readonly string[]]>([
    ['no MCP-Protocol-Version', ['Mcp-Method', 'tools/list']],
    ['no Mcp-Method', ['MCP-Protocol-Version', revision]],
    ['another Mcp-Method', ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/call']],
    ['another version than the body', ['MCP-Protocol-Version', '2025-11-25', 'Mcp-Method', 'tools/list']],
    [
      'a repeated version',
      ['MCP-Protocol-Version', revision, 'MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/list'],
    ],
  ])('%s is refused as a mismatch', async (_what, headers) => {
    expect(outcome(await send('tools/list', {}, headers))).toEqual([400, -32_020]);
  });

  test.each<[string, readonly string[]]>([
    ['no Mcp-Name', []],
    ['another Mcp-Name', ['Mcp-Name', 'get_api']],
  ])('a call with %s is refused as a mismatch', async (_what, more) => {
    const headers = ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/call', ...more];
    expect(outcome(await send('tools/call', { name: 'list_apis' }, headers))).toEqual([400, -32_020]);
  });

  test('an unknown revision is refused with those that are spoken', async () => {
    const reply = await post({
      json: request('tools/list', envelope('2031-01-01')),
      headers: ['MCP-Protocol-Version', '2031-01-01', 'Mcp-Method', 'tools/list'],
    });
    expect(outcome(reply)).toEqual([400, -32_022]);
    expect(rpc(reply).error?.data).toMatchObject({ supported: [revision] });
  });

  test.each(['resources/list', 'nope', 'subscriptions/listen', 'logging/setLevel'])(
    'the method %s, which there is not, is refused',
    async (method) => {
      expect(outcome(await send(method))).toEqual([404, -32_601]);
    },
  );

  test('an unknown method of the revision before is refused', async () => {
    expect(rpc(await post({ json: request('nope') })).error?.code).toBe(-32_601);
  });

  test('an unknown tool is refused', async () => {
    expect(rpc(await send('tools/call', { name: 'nope' })).error?.code).toBe(-32_602);
  });

  test.each<[string, CallOptions, RegExp]>([
    ['a batch', { json: [request('ping'), request('ping')] }, /JSON object is expected/],
    ['an answer', { json: { jsonrpc: '2.0', id: 1, result: {} } }, /method is required/],
    ['another JSON-RPC', { json: { ...request('ping'), jsonrpc: '1.0' } }, /jsonrpc must be/],
    ['no JSON', { raw: 'x', headers: ['Content-Type', 'application/json'] }, /unexpected "x"/],
    ['no body', {}, /jsonrpc is required/],
    ['another media type', { raw: '{}', headers: ['Content-Type', 'text/plain'] }, /Content-Type must be/],
    [
      'deep JSON',
      { raw: `{"a":${'['.repeat(101)}${']'.repeat(101)}}`, headers: ['Content-Type', 'application/json'] },
      /nested deeper than 100/,
    ],
  ])('%s is refused with the reason', async (_what, options, reason) => {
    expect(refusalOf(await post(options))).toEqual([400, expect.stringMatching(reason)]);
  });

  test('huge arguments are refused', async () => {
    const call = (length: number) =>
      send('tools/call', { name: 'search_apis', arguments: { query: 'x'.repeat(length) } });
    expect((await call(270_000)).status).toBe(413);
    expect(rpc(expectStatus(await call(100_000), 200)).result).toMatchObject({ isError: true });
  });

  test('arguments that name prototypes reach nothing', async () => {
    const raw = JSON.stringify(request('tools/call', { name: 'list_apis', arguments: {} })).replace(
      '"arguments":{}',
      '"arguments":{"__proto__":{"limit":1},"constructor":{"prototype":{"limit":1}}}',
    );
    const reply = await post({ raw, headers: ['Content-Type', 'application/json'] });
    expect([reply.status, Object.hasOwn(Object.prototype, 'limit')]).toEqual([200, false]);
  });

  test.each(['GET', 'DELETE', 'OPTIONS', 'PUT'])('%s is not allowed', async (method) => {
    const reply = await call(method, '/mcp', { key: client.key });
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
  });

  describe('the origin', () => {
    const list = (origin: string, credential: CallOptions = {}) =>
      post({ json: request('ping'), headers: ['Origin', origin], ...credential });
    const host = () => new URL(subject.client.baseUrl).host;

    test('of this service may call, by any scheme', async () => {
      expect((await list(`http://${host()}`)).status).toBe(200);
      expect((await list(`https://${host()}`)).status).toBe(200);
    });
    test.each(['https://evil.example', 'null', '', 'x', 'http://127.0.0.1', 'http://127.0.0.1:1'])(
      '%j is refused',
      async (origin) => {
        expect(refusalOf(await list(origin))).toEqual([403, 'Origin not allowed']);
      },
    );
    test('is judged after the credential, and before the body', async () => {
      const bad = { headers: ['Origin', 'https://evil.example'], json: [] };
      expect((await call('POST', '/mcp', bad)).status).toBe(401);
      expect((await post(bad)).status).toBe(403);
    });
  });

  test('without a credential nothing is read: a bad body is a 401', async () => {
    const reply = await call('POST', '/mcp', { json: [] });
    expect([reply.status, reply.headers['www-authenticate'], reply.body.detail]).toEqual([
      401,
      'Bearer',
      'Invalid or expired token',
    ]);
  });
};

/** The rate limit: each request counts once, whatever its tool reads. */
export const countingSuite = (start: Start): void => {
  test('each request counts once, and one too many is told when to come again', async () => {
    const subject = await start({ settings: { defaultLimit: { allowed: 3, windowSeconds: 60 } } });
    try {
      const cast = await createCast(subject);
      const client = await cast.newClient();
      const collection = await cast.newCollection();
      await cast.grant(client, collection);
      const json = request('tools/call', { name: 'get_api', arguments: { collection_id: collection } });
      const call = () => subject.client.call('POST', '/mcp', { key: client.key, json });
      for (const left of [2, 1, 0]) {
        const reply = expectStatus(await call(), 200);
        expect(reply.headers['ratelimit']).toContain(`r=${left}`);
      }
      const refused = await call();
      expect([refused.status, refused.body.detail]).toEqual([429, 'Rate limit exceeded']);
      expect(refused.headers['retry-after']).toBe(String(refused.body.retry_after));
    } finally {
      await subject.close();
    }
  });

  test.each(Object.entries(clients))('%s tells a model how long to wait', async (_revision, connect) => {
    const subject = await start({ settings: { defaultLimit: { allowed: 6, windowSeconds: 60 } } });
    try {
      const cast = await createCast(subject);
      const { key } = await cast.newClient();
      const mcp = await connect(subject.client.baseUrl, { 'X-Client-ID': key.clientId, 'X-API-Key': key.secret });
      const callOften = async () => {
        for (let i = 0; i < 6; i++) await mcp.call('list_apis');
      };
      await expect(callOften()).rejects.toThrow(/Rate limit exceeded","retry_after":\d+/);
      await mcp.close();
    } finally {
      await subject.close();
    }
  });
};
