import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { createFixtures, expectStatus, type Client, type Start } from '../subject.ts';
import type { CallOptions } from '../client.ts';
import { errorOf, type Reply } from '../reply.ts';
import { clients } from './mcp-clients.ts';

const revision = '2026-07-28';
const createEnvelope = (version: string = revision) => ({
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

const keyAdvice = 'send an API key of this service in the header X-API-Key, as CLIENT_ID.CLIENT_SECRET';

/** Tests the messages of the protocol. */
export const protocolSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
    hasLocalSignIn: true,
  });
  let client: Client;

  beforeAll(async () => {
    client = await fixtures.newClient();
  });

  const post = (options: CallOptions): Promise<Reply> => call('POST', '/mcp', { key: client.key, ...options });
  /** Sends a message of the current revision with its required headers. */
  const send = (method: string, params: Readonly<Record<string, unknown>> = {}, headers?: readonly string[]) => {
    const name = params['name'];
    const requiredHeaders = ['MCP-Protocol-Version', revision, 'Mcp-Method', method];
    const nameHeader = typeof name === 'string' ? ['Mcp-Name', name] : [];
    return post({
      json: request(method, { ...params, ...createEnvelope() }),
      headers: headers ?? [...requiredHeaders, ...nameHeader],
    });
  };
  const parseRpcBody = ({ text }: Reply): RpcBody => JSON.parse(text) as RpcBody;
  const outcomeOf = (reply: Reply): readonly unknown[] => [reply.status, parseRpcBody(reply).error?.code];

  test('server/discover returns the revision and the capabilities', async () => {
    const { result } = parseRpcBody(expectStatus(await send('server/discover'), 200));
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [revision],
      capabilities: { tools: {} },
      cacheScope: 'public',
    });
  });

  test('tools/list has at most 5 KB, may be cached, and is the same for all callers', async () => {
    const reply = expectStatus(await send('tools/list'), 200);
    expect(reply.bytes.length).toBeLessThanOrEqual(5_120);
    expect(parseRpcBody(reply).result).toMatchObject({
      resultType: 'complete',
      ttlMs: 3_600_000,
      cacheScope: 'public',
    });
    const otherReply = await post({
      key: (await fixtures.newClient()).key,
      json: request('tools/list', createEnvelope()),
      headers: ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/list'],
    });
    expect(otherReply.text).toBe(reply.text);
  });

  test('the previous revision starts with initialize, and its notifications are accepted', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const initializedReply = await post({ json: request('initialize', params) });
    expect(parseRpcBody(expectStatus(initializedReply, 200)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(initializedReply.headers['mcp-session-id']).toBeUndefined();
    expect(initializedReply.headers['content-type']).toContain('application/json');
    const acceptedReply = await post({ json: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    expect([acceptedReply.status, acceptedReply.text]).toEqual([202, '']);
    expect(parseRpcBody(expectStatus(await post({ json: request('ping') }), 200)).result).toEqual({});
  });

  test('responses must not be stored', async () => {
    expect((await send('tools/list')).headers['cache-control']).toBe('no-store');
  });

  test.each<[string, readonly string[]]>([
    ['no MCP-Protocol-Version', ['Mcp-Method', 'tools/list']],
    ['no Mcp-Method', ['MCP-Protocol-Version', revision]],
    ['another Mcp-Method', ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/call']],
    ['a version that differs from the body', ['MCP-Protocol-Version', '2025-11-25', 'Mcp-Method', 'tools/list']],
    [
      'a repeated version',
      ['MCP-Protocol-Version', revision, 'MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/list'],
    ],
  ])('%s is rejected as a mismatch', async (_case, headers) => {
    expect(outcomeOf(await send('tools/list', {}, headers))).toEqual([400, -32_020]);
  });

  test.each<[string, readonly string[]]>([
    ['no Mcp-Name', []],
    ['another Mcp-Name', ['Mcp-Name', 'get_api']],
  ])('a call with %s is rejected as a mismatch', async (_case, extraHeaders) => {
    const headers = ['MCP-Protocol-Version', revision, 'Mcp-Method', 'tools/call', ...extraHeaders];
    expect(outcomeOf(await send('tools/call', { name: 'list_apis' }, headers))).toEqual([400, -32_020]);
  });

  test('an unknown revision is rejected with the supported revisions', async () => {
    const reply = await post({
      json: request('tools/list', createEnvelope('2031-01-01')),
      headers: ['MCP-Protocol-Version', '2031-01-01', 'Mcp-Method', 'tools/list'],
    });
    expect(outcomeOf(reply)).toEqual([400, -32_022]);
    expect(parseRpcBody(reply).error?.data).toMatchObject({ supported: [revision] });
  });

  test.each(['resources/list', 'nope', 'subscriptions/listen', 'logging/setLevel'])(
    'the unknown method %s is rejected',
    async (method) => {
      expect(outcomeOf(await send(method))).toEqual([404, -32_601]);
    },
  );

  test('an unknown method of the previous revision is rejected', async () => {
    expect(parseRpcBody(await post({ json: request('nope') })).error?.code).toBe(-32_601);
  });

  test('an unknown tool is rejected', async () => {
    expect(parseRpcBody(await send('tools/call', { name: 'nope' })).error?.code).toBe(-32_602);
  });

  test.each<[string, CallOptions, RegExp]>([
    ['a batch', { json: [request('ping'), request('ping')] }, /JSON object is expected/],
    ['an answer', { json: { jsonrpc: '2.0', id: 1, result: {} } }, /method is required/],
    ['another JSON-RPC', { json: { ...request('ping'), jsonrpc: '1.0' } }, /jsonrpc must be/],
    ['no JSON', { raw: 'x', headers: ['Content-Type', 'application/json'] }, /unexpected "x"/],
    ['no body', {}, /jsonrpc is required/],
    ['a different media type', { raw: '{}', headers: ['Content-Type', 'text/plain'] }, /Content-Type must be/],
    [
      'deep JSON',
      { raw: `{"a":${'['.repeat(101)}${']'.repeat(101)}}`, headers: ['Content-Type', 'application/json'] },
      /nested deeper than 100/,
    ],
  ])('%s is rejected with the reason', async (_case, options, reason) => {
    expect(errorOf(await post(options))).toEqual([400, expect.stringMatching(reason)]);
  });

  test('huge arguments are rejected', async () => {
    const call = (length: number) =>
      send('tools/call', { name: 'search_apis', arguments: { query: 'x'.repeat(length) } });
    expect((await call(2_100_000)).status).toBe(413);
    expect(parseRpcBody(expectStatus(await call(100_000), 200)).result).toMatchObject({ isError: true });
  });

  test('arguments with prototype keys do not pollute prototypes', async () => {
    const raw = JSON.stringify(request('tools/call', { name: 'list_apis', arguments: {} })).replace(
      '"arguments":{}',
      '"arguments":{"__proto__":{"limit":1},"constructor":{"prototype":{"limit":1}}}',
    );
    const reply = await post({ raw, headers: ['Content-Type', 'application/json'] });
    expect([reply.status, Object.hasOwn(Object.prototype, 'limit')]).toEqual([200, false]);
  });

  test.each(['{"limit": "1"}', '{}', ' {"limit": 1} '])('arguments as the JSON text %j are accepted', async (text) => {
    const reply = await send('tools/call', { name: 'list_apis', arguments: text });
    expect(parseRpcBody(expectStatus(reply, 200)).result).toMatchObject({ structuredContent: { apis: [] } });
  });

  test.each(['', 'x', '[1', '3', '"{}"', 'null'])('arguments as the text %j are rejected', async (text) => {
    const reply = await send('tools/call', { name: 'list_apis', arguments: text });
    expect(parseRpcBody(reply).error?.code).toBe(-32_602);
  });

  test.each(['GET', 'DELETE', 'OPTIONS', 'PUT'])('%s is not allowed', async (method) => {
    const reply = await call(method, '/mcp', { key: client.key });
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
  });

  describe('the origin', () => {
    const callList = (origin: string, credential: CallOptions = {}) =>
      post({ json: request('ping'), headers: ['Origin', origin], ...credential });
    const getHost = () => new URL(subject.client.baseUrl).host;

    test('of this service is allowed, with any scheme', async () => {
      expect((await callList(`http://${getHost()}`)).status).toBe(200);
      expect((await callList(`https://${getHost()}`)).status).toBe(200);
    });
    test.each(['https://evil.example', 'null', '', 'x', 'http://127.0.0.1', 'http://127.0.0.1:1'])(
      '%j is rejected',
      async (origin) => {
        expect(errorOf(await callList(origin))).toEqual([403, 'Origin not allowed']);
      },
    );
    test.each(['evil.example', 'evil.example:3000', 'localhost.evil.example'])(
      'with the host %s of a page that was made to point here is rejected',
      async (host) => {
        for (const headers of [
          ['Host', host, 'Origin', `http://${host}`],
          ['Host', host],
        ]) {
          const reply = await post({ json: request('ping'), headers });
          expect(errorOf(reply)).toEqual([403, expect.stringMatching(/^Host not allowed: .*PUBLIC_URL/)]);
        }
        for (const path of ['/metrics', '/api/collections/', '/local-issuer/.well-known/openid-configuration'])
          expect((await call('GET', path, { headers: ['Host', host] })).status, path).toBe(403);
        for (const path of ['/health', '/ready'])
          expect((await call('GET', path, { headers: ['Host', host] })).status, path).toBe(200);
      },
    );
    test('is checked after the credential, and before the body', async () => {
      const badRequest = { headers: ['Origin', 'https://evil.example'], json: [] };
      expect((await call('POST', '/mcp', badRequest)).status).toBe(401);
      expect((await post(badRequest)).status).toBe(403);
    });
  });

  test('without a credential, the body is not parsed: the response to an invalid body is a 401', async () => {
    const reply = await call('POST', '/mcp', { json: [] });
    expect([reply.status, reply.headers['www-authenticate'], reply.body.detail]).toEqual([
      401,
      'Bearer',
      `Invalid or expired token: ${keyAdvice}`,
    ]);
  });

  test('with a wrong key, the response says which credential is expected', async () => {
    const wrongKeys: CallOptions[] = [
      { key: { ...client.key, secret: 'wrong' } },
      { headers: ['X-API-Key', 'a.b'] },
      { token: `${client.key.clientId}.wrong` },
    ];
    for (const options of wrongKeys) {
      const reply = await call('POST', '/mcp', { json: request('ping'), ...options });
      expect(errorOf(reply)).toEqual([401, `Invalid API credentials: ${keyAdvice}`]);
    }
  });

  test('nothing looks like the metadata of an authorization server for the endpoint', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource'])
      for (const suffix of ['', '/mcp'])
        expect((await call('GET', `/.well-known/${name}${suffix}`)).status, `${name}${suffix}`).toBe(404);
  });
};

/** Tests the rate limit: each request counts once, regardless of how much its tool reads. */
export const countingSuite = (start: Start): void => {
  test('each request is counted once, and a request over the limit gets a Retry-After', async () => {
    const subject = await start({ settings: { defaultLimit: { allowed: 3, windowSeconds: 60 } } });
    try {
      const fixtures = await createFixtures(subject);
      const client = await fixtures.newClient();
      const collection = await fixtures.newCollection();
      await fixtures.grant(client, collection);
      const json = request('tools/call', { name: 'get_api', arguments: { collection_id: collection } });
      const call = () => subject.client.call('POST', '/mcp', { key: client.key, json });
      for (const remaining of [2, 1, 0]) {
        const reply = expectStatus(await call(), 200);
        expect(reply.headers['ratelimit']).toContain(`r=${remaining}`);
      }
      const rejection = await call();
      expect([rejection.status, rejection.body.detail]).toEqual([429, 'Rate limit exceeded']);
      expect(rejection.headers['retry-after']).toBe(String(rejection.body.retry_after));
    } finally {
      await subject.close();
    }
  });

  test.each(Object.entries(clients))('with %s, the model gets the time to wait', async (_revision, connect) => {
    const subject = await start({ settings: { defaultLimit: { allowed: 6, windowSeconds: 60 } } });
    try {
      const fixtures = await createFixtures(subject);
      const { key } = await fixtures.newClient();
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
