import { beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Client, type Start, type Subject } from '../subject.ts';

const noUses = { reads: 0, searches: 0, slices: 0, calls: 0, credential_reads: 0, refused: 0 };

/** Tests counting uses and reading usage reports. */
export const usageSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  let ada: Client;
  let bob: Client;
  let weather: string;
  let roads: string;
  const readUsage = (query: string, caller: Parameters<Subject['client']['call']>[2] = { token: fixtures.admin }) =>
    call('GET', `/api/usage${query}`, caller);
  const rowsOf = async (query: string) => (await readUsage(query)).list;

  beforeAll(async () => {
    [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
    const authentication = { type: 'bearer', value: 'the-credential' };
    [weather, roads] = [
      await fixtures.newCollection({ authentication }),
      await fixtures.newCollection({ name: '=Roads' }),
    ];
    for (const collection of [weather, roads]) await fixtures.grant(ada, collection);
    await fixtures.grant(bob, roads);
    await subject.runJobs();

    const collectionReply = await call('GET', `/api/collections/${weather}`, { key: ada.key });
    const headers = ['If-None-Match', textOf(collectionReply.headers.etag)];
    expect((await call('GET', `/api/collections/${weather}`, { key: ada.key, headers })).status).toBe(304);
    await call('GET', `/api/collections/${weather}/metadata`, { key: ada.key });
    await call('GET', `/api/collections/${roads}/metadata`, { token: ada.token });
    await call('GET', `/api/collections/${roads}`, { token: bob.token });
    for (const caller of [{ key: ada.key }, { token: bob.token }]) {
      await call('POST', '/api/vector/search', { ...caller, json: { query: 'what is not kept' } });
    }
    // Neither a list nor a rejected request is a use.
    await call('GET', '/api/collections/', { token: bob.token });
    await call('GET', `/api/collections/${weather}`, { token: bob.token });
    await call('GET', `/api/collections/${weather}/metadata`, { key: bob.key });
    await subject.useCases.writeUsage();
  });

  describe('reports', () => {
    test('sum up reads, searches and credential reads by day', async () => {
      expect(await rowsOf('')).toEqual([
        {
          day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
          ...noUses,
          reads: 5,
          searches: 2,
          credential_reads: 1,
        },
      ]);
    });

    test('sum up uses by collection, and list uses without a collection last', async () => {
      expect(await rowsOf('?by=collection')).toEqual([
        { collection_id: roads, collection_name: '=Roads', ...noUses, reads: 2 },
        { collection_id: weather, collection_name: 'Collection 3', ...noUses, reads: 3, credential_reads: 1 },
        { collection_id: null, collection_name: null, ...noUses, searches: 2 },
      ]);
    });

    test('sum up uses by profile', async () => {
      expect(await rowsOf('?by=profile')).toEqual([
        { profile_id: ada.id, profile_email: ada.email, ...noUses, reads: 4, searches: 1, credential_reads: 1 },
        { profile_id: bob.id, profile_email: bob.email, ...noUses, reads: 1, searches: 1 },
      ]);
    });

    test('show the users of a collection, and the collections that a profile used', async () => {
      expect((await rowsOf(`?by=profile&collection_id=${weather}`)).map((line) => line.profile_id)).toEqual([ada.id]);
      expect((await rowsOf(`?by=collection&profile_id=${bob.id}`)).map((line) => line.collection_id)).toEqual([
        roads,
        null,
      ]);
      expect(await rowsOf(`?collection_id=${weather.toUpperCase()}&profile_id=${bob.id}`)).toEqual([]);
      for (const unknownField of ['profile_id', 'collection_id'])
        expect(await rowsOf(`?${unknownField}=${unknownId}`)).toEqual([]);
    });

    test('can be filtered by email address and by name; an unknown name is a 404', async () => {
      expect((await rowsOf('?by=profile&collection=%3DRoads')).map((line) => line.profile_id)).toEqual([
        ada.id,
        bob.id,
      ]);
      expect(
        (await rowsOf(`?by=collection&profile=${bob.email.toUpperCase()}`)).map((line) => line.collection_id),
      ).toEqual([roads, null]);
      const errorFor = async (query: string) => errorOf(await readUsage(`?${query}`));
      expect(await errorFor('profile=nobody@example.com')).toEqual([404, 'User not found']);
      expect(await errorFor('collection=Nothing')).toEqual([404, 'Collection not found']);
      expect(await rowsOf(`?profile=${unknownId}`)).toEqual([]);
      for (let count = 0; count < 2; count++) await fixtures.newCollection({ name: 'Shared' });
      expect((await readUsage('?collection=Shared')).body.detail).toMatch(/^Several collections have this name/);
    });

    test('are available to a client only for its own email address, ignoring case', async () => {
      const ownUsage = await readUsage(`?by=profile&profile=${bob.email.toUpperCase()}`, { token: bob.token });
      expect(ownUsage.list.map((line) => line.profile_id)).toEqual([bob.id]);
      expect((await readUsage(`?profile=${ada.email}`, { token: bob.token })).status).toBe(403);
    });

    test('cover every day that the requested period touches', async () => {
      const [{ day }] = (await rowsOf('')) as [{ day: string }];
      const nextDay = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      for (const query of [
        `?from=${day}`,
        `?from=${day}T23:59Z`,
        `?to=${nextDay}`,
        `?to=${day}T00:01Z`,
        `?from=${day}&to=${nextDay}`,
      ])
        expect([query, await rowsOf(query)]).toEqual([query, [expect.objectContaining({ day })]]);
      for (const query of [
        `?from=${nextDay}`,
        `?to=${day}`,
        '?from=2020-01-01&to=2020-02-01',
        `?from=${nextDay}&to=${day}`,
      ])
        expect([query, await rowsOf(query)]).toEqual([query, []]);
    });

    test.each(['by=week', 'by=day,profile', 'from=soon', 'to=2026-02-30', 'profile_id=1', 'collection_id=x'])(
      '%s is a 400',
      async (query) => {
        const reply = await readUsage(`?${query}`);
        expect([reply.status, textOf(reply.body.detail).startsWith('Invalid query parameter: ')]).toEqual([400, true]);
      },
    );
  });

  describe('a client', () => {
    test('sees its own uses, by token and by key', async () => {
      for (const caller of [{ token: bob.token }, { key: bob.key }]) {
        expect((await readUsage('?by=profile', caller)).list).toEqual([
          { profile_id: bob.id, profile_email: bob.email, ...noUses, reads: 1, searches: 1 },
        ]);
        expect((await readUsage(`?profile_id=${bob.id}`, caller)).list).toHaveLength(1);
        expect((await readUsage(`?collection_id=${weather}`, caller)).list).toEqual([]);
      }
    });

    test('cannot read the usage of other profiles, registered or not, and cannot find hidden collections by name', async () => {
      for (const query of [`profile_id=${ada.id}`, `profile=${ada.email}`, 'profile=nobody@example.com']) {
        const reply = await readUsage(`?${query}`, { key: bob.key });
        expect([query, reply.status, reply.body.detail]).toEqual([query, 403, 'Admin access required']);
      }
      expect((await readUsage(`?profile=${bob.email}`, { key: bob.key })).list).toHaveLength(1);
      expect((await readUsage('?collection=%3DRoads', { key: bob.key })).list).toHaveLength(1);
      const hiddenUsage = await readUsage('?collection=Collection%203', { key: bob.key });
      expect([hiddenUsage.status, hiddenUsage.body.detail]).toEqual([404, 'Collection not found']);
      expect(outcomeOf(await readUsage('?collection=Nothing', { key: bob.key }))).toEqual([
        hiddenUsage.status,
        hiddenUsage.body,
      ]);
    });

    test('no longer sees the name of a collection after losing access to it', async () => {
      const carol = await fixtures.newClient();
      const renamedId = await fixtures.newCollection();
      await fixtures.grant(carol, renamedId);
      await call('GET', `/api/collections/${renamedId}`, { key: carol.key });
      await subject.useCases.writeUsage();
      await fixtures.revoke(carol, renamedId);
      const json = { name: 'A secret project' };
      await call('PUT', `/api/collections/${renamedId}`, { token: fixtures.admin, json });
      const line = { collection_id: renamedId, ...noUses, reads: 1 };
      const ownUsage = (await readUsage('?by=collection', { key: carol.key })).list;
      expect(ownUsage).toEqual([{ ...line, collection_name: null }]);
      expect(await rowsOf(`?by=collection&profile_id=${carol.id}`)).toEqual([{ ...line, collection_name: json.name }]);
      await call('DELETE', `/api/profiles/${carol.id}`, { token: fixtures.admin });
      expect(await rowsOf(`?collection_id=${renamedId}`)).toEqual([]);
    });
  });

  describe('as a table', () => {
    const readCsv = (query: string, accept = 'text/csv') =>
      readUsage(query, { token: fixtures.admin, headers: ['Accept', accept] });

    test('has a header row, and no cell that a spreadsheet evaluates as a formula', async () => {
      const reply = await readCsv('?by=collection');
      expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
      expect(reply.headers.vary).toBe('Accept');
      expect(reply.text.split('\r\n').slice(0, 2)).toEqual([
        'collection_id,collection_name,reads,searches,slices,calls,credential_reads,refused',
        `${roads},'=Roads,2,0,0,0,0,0`,
      ]);
      expect((await readCsv('?by=profile')).text).toContain(`${bob.id},${bob.email},1,1,0,0,0,0\r\n`);
      expect((await readCsv('?to=2020-01-01')).text).toBe(
        'day,reads,searches,slices,calls,credential_reads,refused\r\n',
      );
    });

    test.each(['application/json', '*/*', 'text/*', 'application/json, text/csv;q=0.5', 'text/csv;q=0'])(
      'is not returned for Accept: %s',
      async (accept) => {
        expect((await readCsv('', accept)).headers['content-type']).toBe('application/json; charset=utf-8');
      },
    );
  });

  describe('the last use', () => {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

    test('of a profile and of its key is returned on request', async () => {
      const unusedProfile = await fixtures.register();
      const { list } = await call('GET', '/api/profiles/?include=usage', { token: fixtures.admin });
      const lastUsesOf = (id: string) => {
        const { last_used_at, key_last_used_at } = list.find((profile) => profile.id === id) ?? {};
        return [last_used_at, key_last_used_at];
      };
      expect([lastUsesOf(ada.id), lastUsesOf(bob.id), lastUsesOf(unusedProfile.id)]).toEqual([
        [timestamp, timestamp],
        [timestamp, timestamp],
        [null, null],
      ]);
      const ownProfile = (await call('GET', '/api/profiles/me?include=usage,tier', { token: ada.token })).body;
      expect(ownProfile).toMatchObject({ last_used_at: timestamp, key_last_used_at: timestamp, tier: null });
      const plainProfile = (await call('GET', '/api/profiles/me', { token: ada.token })).body;
      expect(plainProfile).not.toHaveProperty('last_used_at');
    });

    test('of a key is its last admitted request, even if that does not count as a use', async () => {
      const dan = await fixtures.newClient();
      const readKeyUse = async () =>
        (await call('GET', '/api/profiles/me?include=usage', { token: dan.token })).body.key_last_used_at;
      await subject.useCases.writeUsage();
      expect(await readKeyUse()).toBeNull();
      await call('POST', '/api/audit/', { key: dan.key, json: { message: {} } });
      await subject.useCases.writeUsage();
      expect(await readKeyUse()).toEqual(timestamp);
      expect(await rowsOf(`?profile_id=${dan.id}`)).toEqual([]);
    });

    test('of a collection is the last use by anyone for an admin, and the last use by the client for a client', async () => {
      const unusedCollection = await fixtures.newCollection({ name: 'zzz never read' });
      for (const person of [ada, bob]) await fixtures.grant(person, unusedCollection);
      const readLastUses = async (token: string) => {
        const { list } = await call('GET', '/api/collections/?include=usage', { token });
        return Object.fromEntries(list.map(({ id, last_used_at }) => [textOf(id), last_used_at])) as object;
      };
      expect(await readLastUses(fixtures.admin)).toMatchObject({
        [weather]: timestamp,
        [roads]: timestamp,
        [unusedCollection]: null,
      });
      expect(await readLastUses(ada.token)).toMatchObject({ [weather]: timestamp, [unusedCollection]: null });
      await fixtures.grant(bob, weather);
      expect(await readLastUses(bob.token)).toEqual({ [weather]: null, [roads]: timestamp, [unusedCollection]: null });
      const plainList = await call('GET', '/api/collections/', { token: bob.token });
      expect(plainList.list[0]).not.toHaveProperty('last_used_at');
    });

    test('of a collection is returned on each page of the list, and in the collection itself, which is then not cached', async () => {
      const page = await call('GET', '/api/collections/?limit=1&include=usage', { token: ada.token });
      expect(page.list).toMatchObject([{ id: roads, last_used_at: timestamp }]);
      expect(page.headers.link).toContain('include=usage');
      for (const headers of [[], ['Accept-Encoding', 'gzip']]) {
        const reply = await call('GET', `/api/collections/${weather}?include=usage`, { key: ada.key, headers });
        expect(reply.body).toMatchObject({ id: weather, last_used_at: timestamp });
        expect([reply.headers.etag, reply.headers['cache-control']]).toEqual([undefined, 'no-store']);
      }
      const plainCollection = await call('GET', `/api/collections/${weather}`, { key: ada.key });
      expect(plainCollection.body).not.toHaveProperty('last_used_at');
    });
  });

  test('each read of a slice is counted, whether it is newly cut, cached by the process, or unchanged for the caller', async () => {
    const openapi_spec = { ...smallDocument, paths: { '/forecast': { get: { responses: {} } } } };
    const [eve, collection] = [await fixtures.newClient(), await fixtures.newCollection({ openapi_spec })];
    await fixtures.grant(eve, collection);
    const path = `/api/collections/${collection}/operations`;
    const [operation] = (await call('GET', path, { key: eve.key })).list;
    const slice = `${path}/${textOf(operation?.operation_key)}`;
    const [freshReply, cachedReply] = [
      await call('GET', slice, { key: eve.key }),
      await call('GET', slice, { key: eve.key }),
    ];
    const headers = ['If-None-Match', textOf(freshReply.headers.etag)];
    const unchangedReply = await call('GET', slice, { key: eve.key, headers });
    expect([freshReply.status, cachedReply.status, unchangedReply.status]).toEqual([200, 200, 304]);
    await subject.useCases.writeUsage();
    expect(await rowsOf(`?by=collection&profile_id=${eve.id}`)).toMatchObject([
      { collection_id: collection, slices: 3 },
    ]);
  });

  test('the plan of an import names the clients with access who used an operation that it breaks', async () => {
    const paths = { '/forecast': { get: { responses: {} } }, '/history': { get: { responses: {} } } };
    const openapi_spec = { ...smallDocument, paths };
    const [eve, fred, gus] = [await fixtures.newClient(), await fixtures.newClient(), await fixtures.newClient()];
    const collection = await fixtures.newCollection({ openapi_spec, name: 'Affected' });
    for (const client of [eve, fred, gus]) await fixtures.grant(client, collection);
    const operationsPath = `/api/collections/${collection}/operations`;
    const operations = (await call('GET', operationsPath, { key: eve.key })).list;
    const [forecast, history] = operations.map((operation) => textOf(operation.operation_key));
    await call('GET', `${operationsPath}/${forecast ?? ''}`, { key: eve.key });
    await call('GET', `${operationsPath}/${forecast ?? ''}`, { key: gus.key });
    await call('GET', `${operationsPath}/${history ?? ''}`, { key: fred.key });
    await subject.useCases.writeUsage();
    // A client without access is no longer concerned.
    await call('DELETE', `/api/access/clients/${gus.id}/collections/${collection}`, { token: fixtures.admin });
    const json = { name: 'Affected', openapi_spec: { ...openapi_spec, paths: { '/history': paths['/history'] } } };
    const plan = (caller: Parameters<Subject['client']['call']>[2]) =>
      call('POST', '/api/imports/plan', { ...caller, json });
    const operation = { operation_key: forecast, method: 'GET', path: '/forecast', used_by_total: 1 };
    const totals = { callers_total: 2, affected_total: 1 };
    expect((await plan({ token: fixtures.admin })).body.affected).toEqual({
      ...totals,
      operations: [{ ...operation, people: [eve.email], groups: [] }],
    });
    const scopes = ['catalog:read', 'access:read'];
    for (const [names, expected] of [
      [scopes, operation],
      [[...scopes, 'usage:read'], { ...operation, people: [eve.email], groups: [] }],
    ] as const) {
      const account = { name: `planner with ${names.length} scopes`, scopes: names };
      const { body } = await call('POST', '/api/service-accounts', { token: fixtures.admin, json: account });
      const reply = await plan({ token: textOf(body.token) });
      expect(reply.body.affected).toEqual({ ...totals, operations: [expected] });
    }
    // An added operation breaks nothing.
    const compatible = { ...json, openapi_spec: { ...openapi_spec, paths: { ...paths, '/new': paths['/history'] } } };
    const reply = await call('POST', '/api/imports/plan', { token: fixtures.admin, json: compatible });
    expect(reply.body).not.toHaveProperty('affected');
  });

  test('slices and prepared requests are reported by operation, also after the operation is removed', async () => {
    const paths = { '/forecast': { get: { responses: {} } }, '/history': { get: { responses: {} } } };
    const openapi_spec = { ...smallDocument, paths };
    const [eve, collection] = [await fixtures.newClient(), await fixtures.newCollection({ openapi_spec })];
    await fixtures.grant(eve, collection);
    const operationsPath = `/api/collections/${collection}/operations`;
    const operations = (await call('GET', operationsPath, { key: eve.key })).list;
    const [forecast, history] = operations.map((operation) => textOf(operation.operation_key));
    const metadata = await call('GET', `/api/collections/${collection}`, { token: fixtures.admin });
    const names = { collection_id: collection, collection_name: textOf(metadata.body.name) };
    await call('POST', `${operationsPath}/${forecast ?? ''}/prepare`, { key: eve.key, json: { arguments: {} } });
    for (let time = 0; time < 2; time++) await call('GET', `${operationsPath}/${history ?? ''}`, { key: eve.key });
    await subject.useCases.writeUsage();
    const forecastLine = { operation_key: forecast, method: 'GET', path: '/forecast', ...names, slices: 1, calls: 0 };
    const historyLine = { operation_key: history, method: 'GET', path: '/history', ...names, slices: 2, calls: 0 };
    const query = `?by=operation&collection_id=${collection}`;
    expect(await rowsOf(query)).toEqual([forecastLine, historyLine]);
    expect(await rowsOf(`${query}&top=1`)).toEqual([historyLine]);
    expect((await readUsage('?by=operation', { key: eve.key })).list).toEqual([forecastLine, historyLine]);
    expect((await readUsage('?by=operation', { key: bob.key })).list).toEqual([]);
    const json = { openapi_spec: { ...openapi_spec, paths: { '/history': paths['/history'] } } };
    expect((await call('PUT', `/api/collections/${collection}`, { token: fixtures.admin, json })).status).toBe(200);
    expect(await rowsOf(query)).toEqual([historyLine, { ...forecastLine, method: null, path: null }]);
    const headers = ['Accept', 'text/csv'];
    expect((await readUsage(query, { token: fixtures.admin, headers })).text.split('\r\n').slice(0, 2)).toEqual([
      'operation_key,method,path,collection_id,collection_name,slices,calls',
      `${history ?? ''},GET,/history,${collection},${names.collection_name},2,0`,
    ]);
    await fixtures.revoke(eve, collection);
    const hiddenNames = { method: null, path: null, collection_name: null };
    expect((await readUsage('?by=operation', { key: eve.key })).list).toEqual([
      { ...historyLine, ...hiddenNames },
      { ...forecastLine, ...hiddenNames },
    ]);
  });

  test("requests over a client's limit are counted as refused, and as a use of its key", async () => {
    const eve = await fixtures.newClient();
    const json = { client_id: eve.id, allowed_limit: 2, window_seconds: 3_600 };
    await call('POST', '/api/rate-limits/overrides', { token: fixtures.admin, json });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await call('GET', '/api/rate-limits/tiers/active/all', { key: eve.key })).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    await subject.useCases.writeUsage();
    expect(await rowsOf(`?by=collection&profile_id=${eve.id}`)).toEqual([
      { collection_id: null, collection_name: null, ...noUses, refused: 3 },
    ]);
    expect(await rowsOf(`?by=profile&profile_id=${eve.id}`)).toMatchObject([{ profile_email: eve.email, refused: 3 }]);
    expect((await call('GET', '/metrics')).text).not.toContain('uses_total{kind="refused"}');
  });

  test('the metrics count all uses since the start', async () => {
    const { text } = await call('GET', '/metrics');
    const readTotal = (kind: string) =>
      Number(new RegExp(`^uses_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(readTotal('read')).toBeGreaterThanOrEqual(5);
    expect(['search', 'slice', 'call', 'credential_read'].map(readTotal)).toEqual([2, 9, 0, 1]);
  });
};
