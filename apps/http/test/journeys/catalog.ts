import { beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, errorOf } from '../reply.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, textOf, type Client, type Start } from '../subject.ts';

/** Tests discoverable collections and the catalog that lists them. */
export const catalogSuite = (start: Start): void => {
  const { subject, fixtures, call, pages } = provideSubject(start);
  let ada: Client;
  const readCatalog = (query: string, options: CallOptions = { key: ada.key }) =>
    call('GET', `/api/catalog${query}`, options);
  const newDiscoverable = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
    fixtures.newCollection({ name, discoverable: true, ...fields });
  const change = async (collection: string, json: object) =>
    expectStatus(await call('PUT', `/api/collections/${collection}`, { token: fixtures.admin, json }), 200);

  beforeAll(async () => {
    ada = await fixtures.newClient();
  });

  test('shows discoverable collections to all approved clients, and other collections only to admins', async () => {
    const hiddenCollection = await fixtures.newCollection({ name: 'secret project' });
    const weather = await newDiscoverable('Weather');
    const bob = await fixtures.newClient();
    for (const credential of [{ key: bob.key }, { token: bob.token }]) {
      const { list, text } = await readCatalog('?limit=1000', credential);
      const line = { id: weather, name: 'Weather', description: 'About it', access: 'none' };
      expect(list.find(({ id }) => id === weather)).toEqual(line);
      expect(text).not.toContain(hiddenCollection);
    }
    const { list } = await readCatalog('?limit=1000', { token: fixtures.admin });
    expect(list.filter(({ id }) => id === hiddenCollection || id === weather).map(({ access }) => access)).toEqual([
      'granted',
      'granted',
    ]);
  });

  test('is for approved profiles', async () => {
    for (const credential of [await fixtures.register(), await fixtures.register()]) {
      expect(outcomeOf(await readCatalog('', { token: credential.token }))).toEqual([
        403,
        { detail: 'Approval required' },
      ]);
    }
  });

  test('shows only the name and description of a collection without a grant', async () => {
    const server = 'https://inner.example.com/v9';
    const openapi_spec = {
      ...smallDocument,
      servers: [{ url: server }],
      paths: { '/launch-codes': { get: { summary: 'Read the launch codes', responses: {} } } },
    };
    const rockets = await newDiscoverable('Rockets', { openapi_spec, description: 'Flights to orbit' });
    await subject.runJobs();
    const { text, list } = await readCatalog('?q=rockets');
    expect(list.map(({ id }) => id)).toEqual([rockets]);
    expect(text).not.toMatch(/inner\.example|launch/);
    const { key } = ada;
    for (const suffix of ['', '/metadata', '/openapi.json', '/openapi.yaml', '/operations']) {
      expect((await call('GET', `/api/collections/${rockets}${suffix}`, { key })).status).toBe(403);
    }
    const search = async (path: string, query: string) => (await call('POST', path, { key, json: { query } })).list;
    expect(await search('/api/vector/search', 'rockets that fly to orbit')).toEqual([]);
    expect(await search('/api/operations/search', 'read the launch codes')).toEqual([]);
    expect((await call('GET', '/api/collections/', { token: ada.token })).list).toEqual([]);
  });

  test("reports the caller's access: none, a pending request, or a grant", async () => {
    const collection = await newDiscoverable('Tides');
    const access = async () => (await readCatalog('?q=tides')).list.map((line) => line.access);
    expect(await access()).toEqual(['none']);
    const json = { collection_id: collection, reason: 'To sail' };
    const request = expectStatus(await call('POST', '/api/access/requests', { key: ada.key, json }), 201).body;
    expect(await access()).toEqual(['requested']);
    expect((await readCatalog('?q=tides', { key: (await fixtures.newClient()).key })).list[0]?.access).toBe('none');
    await call('DELETE', `/api/access/requests/${textOf(request.id)}`, { key: ada.key });
    expect(await access()).toEqual(['none']);
    await fixtures.grant(ada, collection);
    expect(await access()).toEqual(['granted']);
    await change(collection, { discoverable: false });
    expect(await access()).toEqual(['granted']);
    await fixtures.revoke(ada, collection);
    expect(await access()).toEqual([]);
  });

  test('finds parts of names and descriptions, and treats no character as a wildcard', async () => {
    const [percentId, plainId] = [
      await newDiscoverable('Shares in %'),
      await newDiscoverable('Shares', { description: 'Of a_b <b>"x"</b>' }),
    ];
    const idsFor = async (q: string) => (await readCatalog(`?q=${encodeURIComponent(q)}`)).list.map(({ id }) => id);
    expect([await idsFor('SHARES'), await idsFor('in %'), await idsFor('%')]).toEqual([
      [plainId, percentId],
      [percentId],
      [percentId],
    ]);
    expect([await idsFor('a_b'), await idsFor('a?b'), await idsFor('<b>"x"')]).toEqual([[plainId], [], [plainId]]);
    expect(await idsFor("' or 1=1 --")).toEqual([]);
  });

  test('has pages, sorted like lists; the search applies to each page', async () => {
    const names = ['page ä', 'Page b', 'page a', 'PAGE C', 'page b'];
    for (const name of names) await newDiscoverable(name);
    const replies = await pages('/api/catalog?q=page&limit=2', { key: ada.key });
    const namePages = replies.map(({ list }) => list.map(({ name }) => textOf(name)));
    expect(namePages.map((page) => page.map((name) => name.toLowerCase()))).toEqual([
      ['page a', 'page b'],
      ['page b', 'page c'],
      ['page ä'],
    ]);
    expect(new Set(namePages.flat())).toEqual(new Set(names));
    expect((await readCatalog('?q=page&limit=5')).headers.link).toBeUndefined();
    expect((await readCatalog('?limit=0')).status).toBe(400);
    expect((await readCatalog('?limit=1000')).status).toBe(200);
    expect((await readCatalog('?limit=1001')).status).toBe(400);
    expect((await readCatalog(`?q=${'x'.repeat(200)}`)).status).toBe(200);
    expect((await readCatalog(`?q=${'x'.repeat(201)}`)).status).toBe(400);
  });

  describe('whether a collection is discoverable', () => {
    const readCollection = (id: string, options: CallOptions = { token: fixtures.admin }) =>
      call('GET', `/api/collections/${id}?include=discoverable`, options);

    test('is false by default, returned on request, and not affected by changes to other fields', async () => {
      const collection = await fixtures.newCollection();
      expect((await readCollection(collection)).body.discoverable).toBe(false);
      await change(collection, { discoverable: true });
      for (const json of [{ description: 'Else' }, { discoverable: null }, {}]) await change(collection, json);
      expect((await readCollection(collection)).body.discoverable).toBe(true);
      await change(collection, { discoverable: false });
      expect((await readCollection(collection)).body.discoverable).toBe(false);
      const collectionReply = await call('GET', `/api/collections/${collection}`, { token: fixtures.admin });
      expect(Object.keys(collectionReply.body)).not.toContain('discoverable');
    });

    test('is returned in lists on request, also together with the last use', async () => {
      const collection = await newDiscoverable('Aaa first');
      await fixtures.grant(ada, collection);
      for (const [query, status] of [
        ['?include=discoverable', ['discoverable']],
        ['?include=discoverable,usage&limit=1', ['discoverable', 'last_used_at']],
        ['?include=usage', ['last_used_at']],
        ['', []],
      ] as const) {
        const [listedCollection] = (await call('GET', `/api/collections/${query}`, { token: ada.token })).list;
        const fieldNames = ['id', 'name', 'description', 'created_at', 'updated_at'];
        expect([query, Object.keys(listedCollection ?? {}).sort()]).toEqual([query, [...fieldNames, ...status].sort()]);
        if (query.includes('discoverable'))
          expect(listedCollection).toMatchObject({ id: collection, discoverable: true });
      }
    });

    test.each([['yes'], [1], [[true]], [{}]])('cannot be %j', async (discoverable) => {
      const json = { name: 'x', openapi_spec: smallDocument, discoverable };
      expect(errorOf(await call('POST', '/api/collections/', { token: fixtures.admin, json }))).toEqual([
        400,
        'Invalid request body: discoverable must be true or false',
      ]);
    });

    test('is recorded in the audit log when it changes', async () => {
      const collection = await newDiscoverable('Audited');
      await change(collection, { discoverable: false });
      const query = `?source=system&collection_id=${collection}`;
      const { body } = await call('GET', `/api/audit/${query}`, { token: fixtures.admin });
      const messages = body.data as { message: object }[];
      expect(messages.map(({ message }) => message)).toMatchObject([
        { action: 'collection.update', fields: ['discoverable'], discoverable: false },
        { action: 'collection.create', discoverable: true },
      ]);
    });
  });
};
