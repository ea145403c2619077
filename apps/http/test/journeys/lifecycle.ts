import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { outcomeOf } from '../reply.ts';
import { expectStatus, smallDocument, textOf, unknownId, type Client, type Start } from '../subject.ts';

const mcpRevision = '2026-07-28';
const openapi_spec = {
  ...smallDocument,
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: { '/tides': { get: { operationId: 'readTides', summary: 'Read the tides of the sea', responses: {} } } },
};

/** Tests how collections are deprecated, retired and activated, and how their callers notice. */
export const lifecycleSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  const create = async (name = 'Tides of the sea'): Promise<string> => {
    const id = textOf((await asAdmin('POST', '/api/collections/', { name, openapi_spec })).body.id);
    await subject.runJobs();
    return id;
  };
  const createGranted = async (name?: string) => {
    const [id, client] = [await create(name), await fixtures.newClient()];
    await fixtures.grant(client, id);
    return { id, client };
  };
  const put = (id: string, json: object) => asAdmin('PUT', `/api/collections/${id}/lifecycle`, json);
  const set = async (id: string, json: object) => expectStatus(await put(id, json), 200).body;
  const retire = async (id: string) => {
    await set(id, { state: 'deprecated' });
    return set(id, { state: 'retired' });
  };
  const searchApis = async ({ key }: Client) =>
    (await call('POST', '/api/vector/search', { key, json: { query: 'tides of the sea', k_limit: 100 } })).list;
  const searchOperations = async ({ key }: Client, collection_id?: string) => {
    const json = { query: 'read the tides of the sea', k_limit: 100, collection_id };
    return (await call('POST', '/api/operations/search', { key, json })).list;
  };
  const callTool = async (name: string, args: object, credential: CallOptions) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': mcpRevision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const reply = await call('POST', '/mcp', {
      ...credential,
      headers: ['Mcp-Protocol-Version', mcpRevision, 'Mcp-Method', 'tools/call', 'Mcp-Name', name],
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } },
    });
    return reply.text;
  };

  describe('setting it', () => {
    test('stores the state and its details, which the summary and the lists show on request', async () => {
      const { id, client } = await createGranted();
      const successor = await create('Tides two');
      const lifecycle = {
        ...{ state: 'deprecated', since: '2026-01-02T03:04:05.006Z', sunset: '2027-01-01T00:00:00.000Z' },
        ...{ successor, text: 'Zwei\nZeilen 愛' },
      };
      expect(await set(id, { ...lifecycle, sunset: '2026-12-31' })).toEqual(lifecycle);
      const { key, token } = client;
      expect((await call('GET', `/api/collections/${id}/summary`, { key })).body.lifecycle).toEqual(lifecycle);
      expect((await call('GET', `/api/collections/${id}?include=lifecycle`, { key })).body.lifecycle).toEqual(
        lifecycle,
      );
      expect((await call('GET', '/api/collections/?include=lifecycle', { token })).list).toMatchObject([
        { id, lifecycle },
      ]);
      expect((await call('GET', '/api/collections/', { token })).list).not.toMatchObject([{ lifecycle }]);
      const entries = (await asAdmin('GET', `/api/audit/?source=system&collection_id=${id}&pageSize=1`)).body.data;
      expect(entries).toMatchObject([
        {
          message: {
            ...{ action: 'collection.lifecycle', lifecycle: 'deprecated', since: lifecycle.since, successor },
            ...{ sunset: lifecycle.sunset, collection_id: id },
          },
        },
      ]);
    });

    test('keeps absent details, removes those that are null, and writes nothing if nothing changes', async () => {
      const id = await create();
      const first = await set(id, { state: 'deprecated', sunset: '2090-01-01', text: 'Old.' });
      const { etag } = (await asAdmin('GET', `/api/collections/${id}/summary`)).headers;
      expect(await set(id, { state: 'deprecated' })).toEqual(first);
      expect((await asAdmin('GET', `/api/collections/${id}/summary`)).headers.etag).toBe(etag);
      expect(await set(id, { state: 'retired', sunset: null })).toEqual({ ...first, state: 'retired', sunset: null });
      const none = { since: null, sunset: null, successor: null, text: null };
      expect(await set(id, { state: 'active' })).toEqual({ state: 'active', ...none });
    });

    test('is rejected for a state that cannot follow, an impossible date, and an unusable successor', async () => {
      const id = await create();
      const errorFor = async (json: object) => outcomeOf(await put(id, json));
      expect(await errorFor({ state: 'retired' })).toEqual([
        409,
        { detail: 'Collection not deprecated: deprecate it first, so that its callers can leave' },
      ]);
      const invalid = (reason: string) => [400, { detail: `Invalid request body: ${reason}` }];
      expect(await errorFor({ state: 'deprecated', since: '2027-01-02', sunset: '2027-01-01T23:59:59Z' })).toEqual(
        invalid('sunset must not be before since'),
      );
      expect(await errorFor({ state: 'deprecated', successor: id })).toEqual(
        invalid('successor must be another collection'),
      );
      for (const name of ['Twin of tides', 'Twin of tides']) await create(name);
      for (const successor of [unknownId, 'No such API', 'Twin of tides'])
        expect(await errorFor({ state: 'deprecated', successor })).toEqual(
          invalid('successor must be the id of a collection that you can see, or a name that only one of them has'),
        );
      expect(await errorFor({ state: 'active', text: 'x' })).toEqual(invalid('an active collection has only a state'));
      expect((await put(unknownId, { state: 'active' })).status).toBe(404);
      expect((await asAdmin('GET', `/api/collections/${id}/summary`)).body.lifecycle).toMatchObject({
        state: 'active',
      });
    });

    test('finds a successor by its unique name, and forgets it when it is removed', async () => {
      const [id, successor] = [await create(), await create('The only successor')];
      expect(await set(id, { state: 'deprecated', successor: 'The only successor' })).toMatchObject({ successor });
      expectStatus(await asAdmin('DELETE', `/api/collections/${successor}`), 200);
      const reply = await asAdmin('GET', `/api/collections/${id}/summary`);
      expect([reply.body.lifecycle, reply.headers.link]).toMatchObject([
        { state: 'deprecated', successor: null },
        undefined,
      ]);
    });
  });

  test('responses for the document and the operations say until when the collection works, and name its successor', async () => {
    const { id, client } = await createGranted();
    const successor = await create('Tides two');
    const { key } = client;
    const [operation] = (await call('GET', `/api/collections/${id}/operations`, { key })).list;
    const operationPath = `/api/collections/${id}/operations/${textOf(operation?.operation_key)}`;
    const reads = [
      ['GET', `/api/collections/${id}`],
      ['GET', `/api/collections/${id}/openapi.json`],
      ['GET', `/api/collections/${id}/openapi.yaml`],
      ['GET', `/api/collections/${id}/operations`],
      ['GET', operationPath],
      ['GET', `${operationPath}?as=tool`],
      ['POST', `${operationPath}/prepare`],
    ] as const;
    const headersOf = async () => {
      const all: unknown[] = [];
      for (const [method, path] of reads) {
        const reply = await call(method, path, { key, ...(method === 'POST' ? { json: { arguments: {} } } : {}) });
        const { deprecation, sunset, link } = expectStatus(reply, 200).headers;
        all.push({ deprecation, sunset, link });
      }
      return all;
    };
    const none = { deprecation: undefined, sunset: undefined, link: undefined };
    expect(await headersOf()).toEqual(reads.map(() => none));
    const { etag } = (await call('GET', operationPath, { key })).headers;
    await set(id, { state: 'deprecated', since: '2026-01-02T03:04:05Z', sunset: '2026-06-30', successor });
    const expected = {
      ...{ deprecation: '@1767323045', sunset: 'Wed, 01 Jul 2026 00:00:00 GMT' },
      link: `</api/collections/${successor}>; rel="successor-version"`,
    };
    expect(await headersOf()).toEqual(reads.map(() => expected));
    expect((await call('GET', operationPath, { key, headers: ['If-None-Match', etag ?? ''] })).status).toBe(200);
    await set(id, { state: 'retired', successor: null });
    expect(await headersOf()).toEqual(reads.map(() => ({ ...expected, link: undefined })));
    await set(id, { state: 'active' });
    expect(await headersOf()).toEqual(reads.map(() => none));
  });

  test('a deprecated collection is found behind its equal, and says so to people and agents', async () => {
    const { id: deprecated, client } = await createGranted();
    const other = await create();
    await fixtures.grant(client, other);
    await set(deprecated, { state: 'deprecated', sunset: '2090-12-31', successor: other, text: 'Use two.' });
    const ids = async () => (await searchApis(client)).map((result) => [result.collection_id, result.deprecated]);
    expect(await ids()).toEqual([
      [other, undefined],
      [deprecated, true],
    ]);
    expect((await searchOperations(client)).map((result) => [result.collection_id, result.deprecated])).toEqual([
      [other, false],
      [deprecated, true],
    ]);
    await set(deprecated, { state: 'active' });
    await set(other, { state: 'deprecated', successor: deprecated });
    expect(await ids()).toEqual([
      [deprecated, undefined],
      [other, true],
    ]);
    const credential = { token: client.token };
    const note = `It works, but`.toLowerCase();
    expect(await callTool('get_api', { collection_id: other }, credential)).toContain(note);
    expect(await callTool('get_api', { collection_id: deprecated }, credential)).not.toContain(note);
    const [operation] = await searchOperations(client, other);
    const described = { collection_id: other, operation_key: operation?.operation_key };
    expect(await callTool('describe_operation', described, credential)).toContain(
      `Its successor has the collection_id ${deprecated}.`,
    );
    expect(await callTool('search_apis', { query: 'tides of the sea' }, credential)).toContain('deprecated');
    expect(await callTool('list_apis', {}, credential)).toContain('deprecated');
  });

  test('a retired collection is not found, also not by an admin, until it is active again', async () => {
    const { id, client } = await createGranted('Retired tides of the sea');
    const finds = async (by: CallOptions) => {
      const json = { query: 'retired tides of the sea', k_limit: 100 };
      const apis = (await call('POST', '/api/vector/search', { ...by, json })).list;
      const operations = (await call('POST', '/api/operations/search', { ...by, json: { ...json, collection_id: id } }))
        .list;
      return [apis, operations].map((list) => list.some(({ collection_id }) => collection_id === id));
    };
    const everyone = [{ key: client.key }, { token: fixtures.admin }];
    for (const by of everyone) expect(await finds(by)).toEqual([true, true]);
    await retire(id);
    for (const by of everyone) expect(await finds(by)).toEqual([false, false]);
    expect(await callTool('search_apis', { query: 'retired tides' }, { token: client.token })).not.toContain(id);
    await set(id, { state: 'active' });
    for (const by of everyone) expect(await finds(by)).toEqual([true, true]);
  });

  test('a retired collection remains readable for those with access, in their lists too', async () => {
    const { id, client } = await createGranted();
    await retire(id);
    const { key, token } = client;
    for (const path of ['', '/openapi.json', '/metadata', '/summary', '/operations'])
      expect((await call('GET', `/api/collections/${id}${path}`, { key })).status).toBe(200);
    expect((await call('GET', '/api/collections/', { token })).list.map((line) => line.id)).toEqual([id]);
    expect((await call('GET', `/api/collections/${id}`, { key: (await fixtures.newClient()).key })).status).toBe(403);
    expect(await callTool('get_api', { collection_id: id }, { token })).toContain('This API is retired');
    const [operation] = (await call('GET', `/api/collections/${id}/operations`, { key })).list;
    const described = { collection_id: id, operation_key: operation?.operation_key };
    expect(await callTool('describe_operation', described, { token })).toContain('it cannot be called');
  });

  test('no one gets access to a retired collection, and existing access can be changed and revoked', async () => {
    const { id, client } = await createGranted();
    const discoverable = { discoverable: true };
    expectStatus(await asAdmin('PUT', `/api/collections/${id}`, discoverable), 200);
    const [bob, eve] = [await fixtures.newClient(), await fixtures.newClient()];
    const path = '/api/access/requests';
    const ask = (by: Client) => call('POST', path, { key: by.key, json: { collection_id: id, reason: 'To sail' } });
    const request = textOf(expectStatus(await ask(bob), 201).body.id);
    await retire(id);
    const isShown = (await call('GET', '/api/catalog?limit=1000', { key: eve.key })).list.some(
      (line) => line.id === id,
    );
    expect(isShown).toBe(false);
    expect((await call('GET', '/api/catalog?limit=1000', { key: client.key })).list).toMatchObject([
      { id, access: 'granted' },
    ]);
    expect(outcomeOf(await ask(eve))).toEqual([
      409,
      { detail: 'Collection retired: no one can get access to it; request another API' },
    ]);
    const none = 'no one can get access to it;';
    expect(outcomeOf(await asAdmin('POST', `${path}/${request}/approve`))).toEqual([
      409,
      { detail: `Collection retired: ${none} deny the request, or activate the API first` },
    ]);
    const refusal = [409, { detail: `Collection retired: ${none} activate it first, or use another API` }];
    const grantPath = (by: Client) => `/api/access/clients/${by.id}/collections/${id}`;
    expect(outcomeOf(await asAdmin('POST', grantPath(eve)))).toEqual(refusal);
    const group = textOf((await asAdmin('POST', '/api/groups', { name: `Sailors ${id}` })).body.id);
    expect(outcomeOf(await asAdmin('POST', `/api/groups/${group}/collections/${id}`))).toEqual(refusal);
    const { body } = await asAdmin('POST', '/api/access/grants', { profiles: [eve.email], collections: [id] });
    expect(body).toMatchObject({ retired: 1, granted: 0, outcomes: [{ outcome: 'retired', collection_id: id }] });
    expectStatus(await asAdmin('POST', `${path}/${request}/deny`), 200);
    expectStatus(await asAdmin('PUT', grantPath(client), { expires_at: '2090-01-01' }), 200);
    expectStatus(await asAdmin('DELETE', grantPath(client)), 200);
    expect((await call('GET', `/api/collections/${id}`, { key: client.key })).status).toBe(403);
    await set(id, { state: 'deprecated' });
    expectStatus(await asAdmin('POST', grantPath(eve)), 201);
  });
};
