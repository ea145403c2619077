import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, textOf, unknownId, type Client, type Start } from '../subject.ts';
import { clients, neverSignIn, type McpClient } from './mcp-clients.ts';

/** The forms of credential. To support a new form, just add an entry. */
const credentials: Readonly<Record<string, (client: Client) => Readonly<Record<string, string>>>> = {
  'a key pair': ({ key }) => ({ 'X-Client-ID': key.clientId, 'X-API-Key': key.secret }),
  'a key as one string': ({ key }) => ({ 'X-API-Key': `${key.clientId}.${key.secret}` }),
  'an identity token': ({ token }) => ({ Authorization: `Bearer ${token}` }),
};

const secret = 'upstream-credential-of-weather';

/** Tests the tools for APIs and calls, through each official client. */
export const clientsSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let client: Client;
  let weather: string;
  let coast: string;
  let open: string;
  let hidden: string;

  beforeAll(async () => {
    client = await fixtures.newClient();
    weather = await fixtures.newCollection({
      name: 'Weather',
      description: 'Forecasts\nfor every city',
      openapi_spec: {
        openapi: '3.0.3',
        info: { title: 'Weather', version: '1' },
        servers: [{ url: 'https://weather.example/v1' }],
        paths: {},
      },
      authentication: { type: 'apiKey', name: 'appid', in: 'query', value: secret },
    });
    coast = await fixtures.newCollection({
      name: 'Coast',
      openapi_spec: {
        openapi: '3.0.3',
        info: { title: 'Coast', version: '1' },
        servers: [{ url: '/v2' }],
        components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
        security: [{ token: [] }],
        paths: {},
      },
    });
    open = await fixtures.newCollection({ name: 'Open' });
    hidden = await fixtures.newCollection({ name: 'Hidden forecasts', description: 'Forecasts for nobody' });
    for (const id of [weather, coast, open]) await fixtures.grant(client, id);
    await subject.runJobs();
  });

  const countCredentialReads = async (): Promise<number> => {
    const path = '/api/audit/?source=system&action=collection.credential_read';
    return Number((await call('GET', path, { token: fixtures.admin })).body.total);
  };

  describe.each(Object.entries(clients))('%s', (_revision, connect) => {
    describe.each(Object.entries(credentials))('by %s', (_credential, headersOf) => {
      let mcp: McpClient;
      beforeAll(async () => {
        mcp = await connect(subject.client.baseUrl, headersOf(client));
      });
      afterAll(() => mcp.close());

      test('the tools are listed in order, and the instructions name them', async () => {
        const names = (await mcp.listTools()).map(({ name }) => name);
        expect(names).toEqual([
          'search_operations',
          'describe_operation',
          'prepare_call',
          'call_operation',
          'search_apis',
          'list_apis',
          'get_api',
          'read_credential',
          'request_access',
          'whoami',
          'record_call',
        ]);
        const namesInInstructions = mcp.getInstructions()?.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
        expect(namesInInstructions).toContain('search_operations');
        for (const name of namesInInstructions) expect(names).toContain(name);
      });

      test('list_apis shows the granted APIs', async () => {
        const { data } = await mcp.call('list_apis');
        expect(data).toMatchObject({
          apis: [
            { collection_id: coast, name: 'Coast' },
            { collection_id: open, name: 'Open' },
            { collection_id: weather, name: 'Weather', description: 'Forecasts for every city' },
          ],
          next_cursor: null,
        });
      });

      test('search_apis finds granted APIs, and explains low scores', async () => {
        const { data } = await mcp.call('search_apis', { query: 'forecasts' });
        expect(data).toMatchObject({
          hint: expect.stringMatching(/low score/) as string,
          apis: [{ collection_id: weather, name: 'Weather' }, { name: 'Coast' }, { name: 'Open' }],
        });
      });

      test('get_api explains how to call an API, and never returns the credential', async () => {
        const readsBefore = await countCredentialReads();
        const { data, text } = await mcp.call('get_api', { collection_id: weather });
        expect(data).toEqual({
          collection_id: weather,
          name: 'Weather',
          description: 'Forecasts for every city',
          base_url: 'https://weather.example/v1',
          authentication: { type: 'apiKey', in: 'query', name: 'appid', prefix: '' },
          credential: 'stored',
          delivery: 'reveal',
          hint: expect.stringMatching(/^read_credential/) as string,
        });
        expect(text).not.toContain(secret);
        expect(await countCredentialReads()).toBe(readsBefore);
      });

      test('read_credential returns the stored credential, and each reading is audited', async () => {
        const readsBefore = await countCredentialReads();
        const { data } = await mcp.call('read_credential', { collection_id: weather });
        expect(data).toEqual({
          collection_id: weather,
          name: 'Weather',
          credential: 'shown',
          send: { in: 'query', name: 'appid', value: secret },
          hint: expect.stringMatching(/never show it/) as string,
        });
        expect(await countCredentialReads()).toBe(readsBefore + 1);
      });

      test('read_credential returns the credential of one scheme, except the secret of an OAuth client', async () => {
        const securitySchemes = {
          id: { type: 'apiKey', in: 'header', name: 'X-Id' },
          login: { type: 'http', scheme: 'basic' },
          token: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://id.example/token', scopes: {} } } },
          other: { type: 'apiKey', in: 'cookie', name: 'other' },
        };
        const api = await fixtures.newCollection({
          name: 'Vault',
          openapi_spec: {
            openapi: '3.0.3',
            info: { title: 'Vault', version: '1' },
            servers: [{ url: 'https://{region}.vault.example', variables: { region: { default: 'eu' } } }],
            security: [{ id: [], login: [] }],
            paths: {},
            components: { securitySchemes },
          },
        });
        await fixtures.grant(client, api);
        const put = async (path: string, json: object) =>
          expectStatus(await subject.client.call('PUT', path, { token: fixtures.admin, json }), 200);
        await put(`/api/collections/${api}/credentials/id`, { value: 'the id' });
        await put(`/api/collections/${api}/credentials/login`, { username: 'ada', password: 'pass' });
        await put(`/api/collections/${api}/credentials/token`, { client_id: 'c', client_secret: 'client-secret' });
        const readsBefore = await countCredentialReads();
        const read = async (scheme: string) => {
          const { data, text } = await mcp.call('read_credential', { collection_id: api, scheme });
          expect(text).not.toContain('client-secret');
          return data;
        };
        const idHeader = { in: 'header', name: 'X-Id', value: 'the id' };
        expect(await read('id')).toMatchObject({ scheme: 'id', credential: 'shown', send: idHeader });
        const basic = { in: 'header', name: 'Authorization', value: `Basic ${btoa('ada:pass')}` };
        expect(await read('login')).toMatchObject({ scheme: 'login', credential: 'shown', send: basic });
        for (const scheme of ['token', 'other'])
          expect(await read(scheme)).toMatchObject({ scheme, credential: 'absent', send: null });
        expect(await countCredentialReads()).toBe(readsBefore + 2);
        const { text, isError } = await mcp.call('read_credential', { collection_id: api, scheme: 'ID' });
        expect([isError, text]).toEqual([true, expect.stringMatching(/the document has id, login, token, other/)]);

        await put(`/api/collections/${api}`, { server_variables: { region: 'us' } });
        const { data } = await mcp.call('get_api', { collection_id: api });
        expect(data).toMatchObject({ hint: expect.stringMatching(/other server variables/) as string });
        await fixtures.revoke(client, api);
        expect((await mcp.call('read_credential', { collection_id: api, scheme: 'id' })).isError).toBe(true);
        await subject.client.call('DELETE', `/api/collections/${api}`, { token: fixtures.admin });
      });

      test('an API without a stored credential has none to send, and says whether it needs one', async () => {
        const readsBefore = await countCredentialReads();
        const get = async (tool: string, id: string) => (await mcp.call(tool, { collection_id: id })).data;
        expect(await get('get_api', coast)).toMatchObject({
          base_url: '/v2',
          authentication: { type: 'bearer', in: 'header', name: 'Authorization', prefix: 'Bearer ' },
          credential: 'absent',
          hint: expect.stringMatching(
            /administrator.*base_url|base_url.*administrator.*stores no credential/,
          ) as string,
        });
        expect(await get('read_credential', coast)).toMatchObject({
          credential: 'absent',
          send: null,
          hint: expect.stringMatching(/stores no credential/) as string,
        });
        expect(await get('get_api', open)).toMatchObject({ authentication: null, credential: 'absent' });
        expect(await get('read_credential', open)).toMatchObject({
          credential: 'absent',
          send: null,
          hint: expect.stringMatching(/names no credential.*describe_operation/) as string,
        });
        expect(await countCredentialReads()).toBe(readsBefore);
      });

      test('record_call adds an audit entry of the caller', async () => {
        const args = {
          collection_id: weather,
          method: 'GET',
          endpoint: '/v1/today',
          status_code: 200,
          duration_ms: 12,
        };
        const { isError, data: recordedCall } = await mcp.call('record_call', args);
        expect([isError, recordedCall?.['recorded']]).toEqual([false, true]);
        const path = `/api/audit/?include=actor&pageSize=100&client_id=${client.key.clientId}`;
        const { data } = (await call('GET', path, { token: fixtures.admin })).body as {
          readonly data: readonly Readonly<Record<string, unknown>>[];
        };
        expect(data.find(({ id }) => id === textOf(recordedCall?.['id']))).toMatchObject({
          actor_id: client.id,
          message: { action: 'api_call', client_id: client.key.clientId, ...args },
        });
      });

      test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
        ['get_api', {}, /^Invalid arguments: collection_id is required\. /],
        ['get_api', { collection_id: 5 }, /^Invalid arguments: collection_id must be a string\. /],
        ['get_api', { collection_id: 'x' }, /collection_id must be an id returned by/],
        ['get_api', { collection_id: unknownId }, /no API with this collection_id.*list_apis/],
        ['describe_operation', { collection_id: unknownId, operation_key: 'x' }, /operation_key must be a key/],
        ['search_apis', { query: '' }, /query must not be empty/],
        ['search_apis', { query: 'x'.repeat(2_001) }, /query must have at most 2000 characters/],
        ['search_apis', { query: 'x', limit: 21 }, /limit must be at most 20/],
        ['search_operations', { query: 'x', method: 'FETCH' }, /method must be one of GET/],
        ['search_operations', { query: 'x', limit: '3.0.0' }, /limit must be a number/],
        ['search_operations', { query: 'x', limit: '1.5' }, /limit must be a whole number/],
        [
          'search_operations',
          { query: 'x', k_limit: 3 },
          /^Invalid arguments: k_limit is unknown\. There are: query, limit, collection_id, method\. Call again/,
        ],
        ['list_apis', { constructor: 'x' }, /constructor is unknown\. There are: limit, cursor/],
        ['get_api', { 'a\nb': 1 }, /^Invalid arguments: one of the names is unknown\. There are: collection_id\. /],
        [
          'get_api',
          { collection_id: unknownId, include_credential: true },
          /include_credential is unknown\. There are: /,
        ],
        ['whoami', { x: 1 }, /x is unknown\. There are none/],
        ['request_access', { collection_id: unknownId }, /reason is required with collection_id/],
        [
          'request_access',
          { collection_id: unknownId, reason: 'Work' },
          /no API with this collection_id.*request_access/,
        ],
        ['request_access', { collection_id: unknownId, reason: 'Work', duration_days: 0 }, /duration_days must be at/],
        ['list_apis', { cursor: 'x' }, /cursor was not issued by this service/],
        ['record_call', { collection_id: unknownId, method: 'GET', endpoint: '/', status_code: 99 }, /status_code/],
      ])('%s with %j is rejected with instructions', async (name, args, expectedText) => {
        const { text, isError } = await mcp.call(name, args);
        expect(text).toMatch(expectedText);
        expect(isError).toBe(true);
      });

      test('numbers are also accepted as strings', async () => {
        const search = await mcp.call('search_apis', { query: 'forecasts', limit: '1' });
        expect([search.isError, search.data?.['apis']]).toEqual([false, [expect.anything()]]);
      });

      test.each(['get_api', 'read_credential'])('%s denies an API without a grant, with instructions', async (tool) => {
        const { text, isError } = await mcp.call(tool, { collection_id: hidden });
        expect([isError, text]).toEqual([true, expect.stringMatching(/no access.*request_access/)]);
        expect(text).not.toContain('Hidden');
      });

      test('an unknown tool is rejected with the list of existing tools', async () => {
        await expect(mcp.call('call_api')).rejects.toThrow(/Unknown tool\. There are: search_operations, /);
      });

      test('a revoked API disappears from every tool immediately', async () => {
        for (const id of [weather, coast, open]) await fixtures.revoke(client, id);
        try {
          expect((await mcp.call('list_apis')).text).toContain('no API that you may use');
          expect((await mcp.call('search_apis', { query: 'forecasts' })).text).toContain('no API that you may use');
          for (const tool of ['get_api', 'read_credential'])
            expect((await mcp.call(tool, { collection_id: weather })).isError).toBe(true);
        } finally {
          for (const id of [weather, coast, open]) await fixtures.grant(client, id);
        }
      });
    });

    test('a client without a credential gets the reason for the rejection', async () => {
      await expect(connect(subject.client.baseUrl, {})).rejects.toThrow(/Invalid or expired token|HTTP 401/);
    });

    test.each([{}, { 'X-API-Key': 'a.b' }])(
      'a client that can sign in, with %j, learns that it needs an API key',
      async (headers) => {
        await expect(connect(subject.client.baseUrl, headers, neverSignIn)).rejects.toThrow(/API key of this service/);
      },
    );
  });

  test('no log line contains a secret or an argument of a call', () => {
    const log = subject.listLogLines().join('');
    expect(log).toContain('"route":"/mcp"');
    for (const secretText of [secret, client.key.secret, client.token, '/v1/today'])
      expect(log).not.toContain(secretText);
  });
};
