import { describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import type { Reply } from '../reply.ts';
import { expectStatus, smallDocument, textOf, type Start } from '../subject.ts';

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
const documentOf = (...paths: readonly string[]) => ({
  ...smallDocument,
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'It' } } } }])),
});
const noCounts = { breaking: 0, warning: 0, info: 0 };

/** Tests the revisions of documents, and their differences. */
export const revisionsSuite = (start: Start): void => {
  const { fixtures, call, pages, asAdmin } = provideSubject(start);
  const update = (id: string, document: object) => asAdmin('PUT', `/api/collections/${id}`, { openapi_spec: document });
  /** Creates a collection whose document is replaced once for each list of paths after the first. */
  const create = async (first: readonly string[], ...others: readonly (readonly string[])[]): Promise<string> => {
    const id = await fixtures.newCollection({ openapi_spec: documentOf(...first) });
    for (const paths of others) expectStatus(await update(id, documentOf(...paths)), 200);
    return id;
  };
  const read = (id: string, part: string) => asAdmin('GET', `/api/collections/${id}${part}`);
  const numbersOf = async (id: string) => (await read(id, '/revisions')).list.map(({ number }) => number);
  const errorOf = ({ status, body }: Reply) => [status, body.detail];

  describe('a document', () => {
    test('that differs from the current one becomes a revision, also if an earlier one was the same', async () => {
      const id = await create(['/a'], ['/b'], ['/a']);
      const { list } = await read(id, '/revisions');
      const change = { created_at: timestamp, digest, actor: 'admin@example.com', origin: null };
      const counts = { breaking: 1, warning: 0, info: 1 };
      expect(list).toEqual([
        { number: 3, ...change, counts, breaking: ['GET /b: The operation was removed.'] },
        { number: 2, ...change, counts, breaking: ['GET /a: The operation was removed.'] },
        { number: 1, ...change, counts: null, breaking: [] },
      ]);
      expect(list[0]?.digest).toBe(list[2]?.digest);
      expect((await read(id, '/revisions/2')).body).toEqual(list[1]);
    });

    test('that is the same, and a change of anything else, make no revision', async () => {
      const id = await create(['/a'], ['/a']);
      expectStatus(await asAdmin('PUT', `/api/collections/${id}`, { name: 'Renamed' }), 200);
      expect(await numbersOf(id)).toEqual([1]);
    });

    test('is returned by its revision as it was stored, and revalidated', async () => {
      const id = await create(['/a'], ['/b']);
      const { headers, body } = expectStatus(await read(id, '/revisions/1/openapi.json'), 200);
      expect(body).toEqual(documentOf('/a'));
      expect((await read(id, '/revisions/2/openapi.json')).headers.etag).toBe(
        (await read(id, '/openapi.json')).headers.etag,
      );
      const condition = { token: fixtures.admin, headers: ['If-None-Match', textOf(headers.etag)] };
      expect((await call('GET', `/api/collections/${id}/revisions/1/openapi.json`, condition)).status).toBe(304);
      expect((await call('GET', `/api/collections/${id}/revisions/2/openapi.json`, condition)).status).toBe(200);
    });

    test('that replaces another one returns the changes, at most 100', async () => {
      const id = await create(['/a']);
      const { body } = expectStatus(await update(id, documentOf('/b')), 200);
      expect(body.changes).toEqual({
        counts: { breaking: 1, warning: 0, info: 1 },
        total: 2,
        first: [
          {
            rule: 'api-path-removed-without-deprecation',
            level: 'breaking',
            operation_key: expect.stringMatching(/^[a-z2-7]{16}$/) as string,
            ...{ method: 'GET', path: '/a', place: '', text: 'The operation was removed.', example: null },
            fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
          },
          expect.objectContaining({ rule: 'endpoint-added', level: 'info', path: '/b' }),
        ],
      });
      const paths = Array.from({ length: 101 }, (_, index) => `/p${index}`);
      const changes = (await update(id, documentOf('/b', ...paths))).body.changes as { first: unknown[] };
      expect(changes).toMatchObject({ counts: { ...noCounts, info: 101 }, total: 101 });
      expect(changes.first).toHaveLength(100);
      expect((await update(id, documentOf('/b', ...paths))).body).not.toHaveProperty('changes');
    });

    test('that is imported names its origin, and returns the changes', async () => {
      const importDocument = (path: string) =>
        asAdmin('PUT', '/api/imports/?import_key=roads%2Fopenapi.yaml', {
          name: 'Roads',
          openapi_spec: documentOf(path),
        });
      const first = expectStatus(await importDocument('/a'), 200).body;
      expect(first).not.toHaveProperty('changes');
      expect((await importDocument('/b')).body).toMatchObject({ outcome: 'updated', changes: { total: 2 } });
      expect((await importDocument('/b')).body).not.toHaveProperty('changes');
      const { list } = await read(textOf(first.id), '/revisions');
      expect(list.map(({ number, origin }) => [number, origin])).toEqual([
        [2, 'roads/openapi.yaml'],
        [1, 'roads/openapi.yaml'],
      ]);
    });
  });

  test('the revisions are listed in pages, with their total number', async () => {
    const id = await create(['/a'], ['/b'], ['/c']);
    const replies = await pages(`/api/collections/${id}/revisions?limit=2&include_total=true`);
    expect(replies.map(({ list }) => list.map(({ number }) => number))).toEqual([[3, 2], [1]]);
    expect(replies.map(({ headers }) => headers['x-total-count'])).toEqual(['3', '3']);
  });

  test('everyone who may read the collection may read its revisions, without the name of the actor', async () => {
    const [id, client] = [await create(['/a'], ['/b']), await fixtures.newClient()];
    const parts = ['/revisions', '/revisions/1', '/revisions/1/openapi.json', '/diff', '/changes.atom'];
    const readAll = (path: string) => call('GET', `/api/collections/${id}${path}`, { key: client.key });
    for (const part of parts) expect(errorOf(await readAll(part))).toEqual([403, 'No access to this collection']);
    await fixtures.grant(client, id);
    for (const part of parts) {
      const { text } = expectStatus(await readAll(part), 200);
      expect(text).not.toContain('admin@example.com');
    }
    await fixtures.revoke(client, id);
    for (const part of parts) expect((await readAll(part)).status).toBe(403);
  });

  describe('the difference', () => {
    const diff = (id: string, query = '') => read(id, `/diff${query}`);

    test('is by default that of the current document from the previous one', async () => {
      const id = await create(['/a'], ['/a', '/b'], ['/a', '/b', '/c']);
      expect((await diff(id)).body).toMatchObject({
        ...{ from: 2, to: 3, counts: { ...noCounts, info: 1 } },
        changes: [{ path: '/c', rule: 'endpoint-added' }],
      });
      expect((await diff(id, '?to=2')).body).toMatchObject({ from: 1, to: 2, changes: [{ path: '/b' }] });
      expect((await diff(id, '?from=1')).body).toMatchObject({ from: 1, to: 3, counts: { ...noCounts, info: 2 } });
    });

    test('can be that of any two revisions, also back in time', async () => {
      const id = await create(['/a'], ['/b'], ['/a']);
      expect((await diff(id, '?from=3&to=2')).body).toMatchObject({
        ...{ from: 3, to: 2, counts: { breaking: 1, warning: 0, info: 1 } },
        changes: [
          { level: 'breaking', path: '/a' },
          { level: 'info', path: '/b' },
        ],
      });
      for (const query of ['?from=1&to=3', '?from=2&to=2'])
        expect((await diff(id, query)).body).toMatchObject({ counts: noCounts, changes: [] });
    });

    test('of the first document is empty', async () => {
      const id = await create(['/a']);
      expect((await diff(id)).body).toEqual({ from: null, to: 1, counts: noCounts, changes: [] });
    });

    test('needs revisions that exist', async () => {
      const id = await create(['/a'], ['/b']);
      for (const query of ['?to=3', '?from=3', '?from=3&to=1'])
        expect(errorOf(await diff(id, query))).toEqual([404, 'Revision not found: 3']);
      for (const part of ['/revisions/3', '/revisions/0', '/revisions/01', '/revisions/2147483648', '/revisions/x'])
        expect(errorOf(await read(id, part))).toEqual([404, 'Revision not found']);
    });
  });

  describe('restoring', () => {
    const restore = (id: string, number: number | string, headers: readonly string[] = []) =>
      call('POST', `/api/collections/${id}/revisions/${number}/restore`, { token: fixtures.admin, headers });

    test('makes the text of a revision the current document again, as a new revision', async () => {
      const id = await create(['/a'], ['/b']);
      const { body } = expectStatus(await restore(id, 1), 200);
      expect(body).toMatchObject({ id, changes: { total: 2 } });
      expect((await read(id, '/openapi.json')).text).toBe((await read(id, '/revisions/1/openapi.json')).text);
      expect(await numbersOf(id)).toEqual([3, 2, 1]);
      const { list } = await read(id, '/operations');
      expect(list.map(({ path }) => path)).toEqual(['/a']);
      const again = expectStatus(await restore(id, 3), 200).body;
      expect(again).toEqual({ ...body, changes: undefined });
      expect(await numbersOf(id)).toEqual([3, 2, 1]);
    });

    test('happens only in the state that was read, if there is a condition', async () => {
      const id = await create(['/a'], ['/b']);
      const tag = textOf((await read(id, '')).headers.etag);
      expectStatus(await update(id, documentOf('/c')), 200);
      expect(errorOf(await restore(id, 1, ['If-Match', tag]))).toEqual([412, 'Precondition failed']);
      expect(await numbersOf(id)).toEqual([3, 2, 1]);
      const currentTag = textOf((await read(id, '')).headers.etag);
      expectStatus(await restore(id, 1, ['If-Match', currentTag]), 200);
    });

    test('needs a revision that exists, and an administrator', async () => {
      const [id, client] = [await create(['/a']), await fixtures.newClient()];
      await fixtures.grant(client, id);
      for (const number of [2, 0, 'x']) expect(errorOf(await restore(id, number))).toEqual([404, 'Revision not found']);
      const path = `/api/collections/${id}/revisions/1/restore`;
      expect(errorOf(await call('POST', path, { token: client.token }))).toEqual([403, 'Admin access required']);
      const unknown = path.replace(id, '99999999-9999-4999-8999-999999999999');
      expect(errorOf(await asAdmin('POST', unknown))).toEqual([404, 'Collection not found']);
    });
  });

  describe('the changes of all collections', () => {
    test('are those that the caller may read, newest first, in pages and since a time', async () => {
      const client = await fixtures.newClient();
      const [first, hidden] = [await create(['/a'], ['/b']), await create(['/a'])];
      const second = await create(['/a']);
      for (const id of [first, second]) await fixtures.grant(client, id);
      const replies = await pages('/api/changes?limit=2', { key: client.key });
      const changes = replies.flatMap(({ list }) => list);
      expect(changes.map(({ collection_id, revision }) => [collection_id, revision])).toEqual(
        expect.arrayContaining([
          [second, 1],
          [first, 2],
          [first, 1],
        ]),
      );
      expect(changes).toHaveLength(3);
      expect(changes.find(({ revision }) => revision === 2)).toEqual({
        ...{ collection_id: first, collection_name: expect.any(String) as string, revision: 2, created_at: timestamp },
        ...{ counts: { breaking: 1, warning: 0, info: 1 }, breaking: ['GET /a: The operation was removed.'] },
      });
      const times = changes.map(({ created_at }) => textOf(created_at));
      expect(times).toEqual(times.toSorted().toReversed());
      expect((await call('GET', '/api/changes?since=2099-01-01', { key: client.key })).list).toEqual([]);
      expect((await call('GET', `/api/changes?since=${times.at(-1) ?? ''}`, { key: client.key })).list).toHaveLength(3);
      const all = await pages('/api/changes?limit=1000');
      expect(all.flatMap(({ list }) => list.map(({ collection_id }) => collection_id))).toContain(hidden);
    });

    test('of one collection are a feed that is revalidated', async () => {
      const id = await create(['/a'], ['/b']);
      const { text, headers } = expectStatus(await read(id, '/changes.atom'), 200);
      expect(headers['content-type']).toBe('application/atom+xml');
      expect(text).toContain(`<id>urn:uuid:${id}#2</id>`);
      expect(text).toContain('GET /a: The operation was removed.');
      const condition = { token: fixtures.admin, headers: ['If-None-Match', textOf(headers.etag)] };
      expect((await call('GET', `/api/collections/${id}/changes.atom`, condition)).status).toBe(304);
    });
  });
};
