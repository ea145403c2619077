import { beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, refusalOf } from '../reply.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, textOf, type Client, type Start } from '../subject.ts';

/** Discoverable collections, and the catalog that shows them. */
export const catalogSuite = (start: Start): void => {
  const { subject, cast, call, pages } = provideSubject(start);
  let ada: Client;
  const catalog = (query: string, by: CallOptions = { key: ada.key }) => call('GET', `/api/catalog${query}`, by);
  const open = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
    cast.newCollection({ name, discoverable: true, ...fields });
  const change = async (collection: string, json: object) =>
    expectStatus(await call('PUT', `/api/collections/${collection}`, { token: cast.admin, json }), 200);

  beforeAll(async () => {
    ada = await cast.newClient();
  });

  test('shows nobody a collection that is not discoverable, and everybody approved one that is', async () => {
    const hidden = await cast.newCollection({ name: 'secret project' });
    const found = await open('Weather');
    const bob = await cast.newClient();
    for (const by of [{ key: bob.key }, { token: bob.token }]) {
      const { list, text } = await catalog('?limit=1000', by);
      const line = { id: found, name: 'Weather', description: 'About it', access: 'none' };
      expect(list.find(({ id }) => id === found)).toEqual(line);
      expect(text).not.toContain(hidden);
    }
    const { list } = await catalog('?limit=1000', { token: cast.admin });
    expect(list.filter(({ id }) => id === hidden || id === found).map(({ access }) => access)).toEqual([
      'granted',
      'granted',
    ]);
  });

  test('is for approved profiles', async () => {
    for (const by of [await cast.register(), await cast.register()]) {
      expect(outcomeOf(await catalog('', { token: by.token }))).toEqual([403, { detail: 'Approval required' }]);
    }
  });

  test('shows of a collection that is not granted its name and description alone', async () => {
    const server = 'https://inner.example.com/v9';
    const openapi_spec = {
      ...smallDocument,
      servers: [{ url: server }],
      paths: { '/launch-codes': { get: { summary: 'Read the launch codes', responses: {} } } },
    };
    const rockets = await open('Rockets', { openapi_spec, description: 'Flights to orbit' });
    await subject.runJobs();
    const { text, list } = await catalog('?q=rockets');
    expect(list.map(({ id }) => id)).toEqual([rockets]);
    expect(text).not.toMatch(/inner\.example|launch/);
    const { key } = ada;
    for (const rest of ['', '/metadata', '/openapi.json', '/openapi.yaml', '/operations']) {
      expect((await call('GET', `/api/collections/${rockets}${rest}`, { key })).status).toBe(403);
    }
    const search = async (path: string, query: string) => (await call('POST', path, { key, json: { query } })).list;
    expect(await search('/api/vector/search', 'rockets that fly to orbit')).toEqual([]);
    expect(await search('/api/operations/search', 'read the launch codes')).toEqual([]);
    expect((await call('GET', '/api/collections/', { token: ada.token })).list).toEqual([]);
  });

  test('says what the caller has: nothing, a pending request, or the collection', async () => {
    const collection = await open('Tides');
    const access = async () => (await catalog('?q=tides')).list.map((line) => line.access);
    expect(await access()).toEqual(['none']);
    const json = { collection_id: collection, reason: 'To sail' };
    const request = expectStatus(await call('POST', '/api/access/requests', { key: ada.key, json }), 201).body;
    expect(await access()).toEqual(['requested']);
    expect((await catalog('?q=tides', { key: (await cast.newClient()).key })).list[0]?.access).toBe('none');
    await call('DELETE', `/api/access/requests/${textOf(request.id)}`, { key: ada.key });
    expect(await access()).toEqual(['none']);
    await cast.grant(ada, collection);
    expect(await access()).toEqual(['granted']);
    await change(collection, { discoverable: false });
    expect(await access()).toEqual(['granted']);
    await cast.revoke(ada, collection);
    expect(await access()).toEqual([]);
  });

  test('finds parts of names and descriptions, and takes no sign in them for a wildcard', async () => {
    const [percent, plain] = [await open('Shares in %'), await open('Shares', { description: 'Of a_b <b>"x"</b>' })];
    const found = async (q: string) => (await catalog(`?q=${encodeURIComponent(q)}`)).list.map(({ id }) => id);
    expect([await found('SHARES'), await found('in %'), await found('%')]).toEqual([
      [plain, percent],
      [percent],
      [percent],
    ]);
    expect([await found('a_b'), await found('a?b'), await found('<b>"x"')]).toEqual([[plain], [], [plain]]);
    expect(await found("' or 1=1 --")).toEqual([]);
  });

  test('has pages, in the order of lists, which keep what was searched for', async () => {
    const names = ['page ä', 'Page b', 'page a', 'PAGE C', 'page b'];
    for (const name of names) await open(name);
    const found = await pages('/api/catalog?q=page&limit=2', { key: ada.key });
    const named = found.map(({ list }) => list.map(({ name }) => textOf(name)));
    expect(named.map((page) => page.map((name) => name.toLowerCase()))).toEqual([
      ['page a', 'page b'],
      ['page b', 'page c'],
      ['page ä'],
    ]);
    expect(new Set(named.flat())).toEqual(new Set(names));
    expect((await catalog('?q=page&limit=5')).headers.link).toBeUndefined();
    expect((await catalog('?limit=0')).status).toBe(400);
    expect((await catalog('?limit=1000')).status).toBe(200);
    expect((await catalog('?limit=1001')).status).toBe(400);
    expect((await catalog(`?q=${'x'.repeat(200)}`)).status).toBe(200);
    expect((await catalog(`?q=${'x'.repeat(201)}`)).status).toBe(400);
  });

  describe('whether a collection is discoverable', () => {
    const one = (id: string, by: CallOptions = { token: cast.admin }) =>
      call('GET', `/api/collections/${id}?include=discoverable`, by);

    test('is false by default, shown on request, and kept by a change that does not name it', async () => {
      const collection = await cast.newCollection();
      expect((await one(collection)).body.discoverable).toBe(false);
      await change(collection, { discoverable: true });
      for (const json of [{ description: 'Else' }, { discoverable: null }, {}]) await change(collection, json);
      expect((await one(collection)).body.discoverable).toBe(true);
      await change(collection, { discoverable: false });
      expect((await one(collection)).body.discoverable).toBe(false);
      const plain = await call('GET', `/api/collections/${collection}`, { token: cast.admin });
      expect(Object.keys(plain.body)).not.toContain('discoverable');
    });

    test('is in lists on request, also beside the last use', async () => {
      const collection = await open('Aaa first');
      await cast.grant(ada, collection);
      for (const [query, more] of [
        ['?include=discoverable', ['discoverable']],
        ['?include=discoverable,usage&limit=1', ['discoverable', 'last_used_at']],
        ['?include=usage', ['last_used_at']],
        ['', []],
      ] as const) {
        const [first] = (await call('GET', `/api/collections/${query}`, { token: ada.token })).list;
        const own = ['id', 'name', 'description', 'created_at', 'updated_at'];
        expect([query, Object.keys(first ?? {}).sort()]).toEqual([query, [...own, ...more].sort()]);
        if (query.includes('discoverable')) expect(first).toMatchObject({ id: collection, discoverable: true });
      }
    });

    test.each([['yes'], [1], [[true]], [{}]])('is no %j', async (discoverable) => {
      const json = { name: 'x', openapi_spec: smallDocument, discoverable };
      expect(refusalOf(await call('POST', '/api/collections/', { token: cast.admin, json }))).toEqual([
        400,
        'Invalid request body: discoverable must be true or false',
      ]);
    });

    test('is in the audit log when it changes', async () => {
      const collection = await open('Audited');
      await change(collection, { discoverable: false });
      const query = `?source=system&collection_id=${collection}`;
      const { body } = await call('GET', `/api/audit/${query}`, { token: cast.admin });
      const messages = body.data as { message: object }[];
      expect(messages.map(({ message }) => message)).toMatchObject([
        { action: 'collection.update', fields: ['discoverable'], discoverable: false },
        { action: 'collection.create', discoverable: true },
      ]);
    });
  });
};
