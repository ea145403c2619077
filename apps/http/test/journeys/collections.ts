import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { outcomeOf, type Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Start } from '../subject.ts';

const securedDocument = {
  ...smallDocument,
  servers: [{ url: 'https://{region}.example.com/{version}', variables: { region: { default: 'eu' } } }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
};

/** Tests creating, changing, reading and listing collections. */
export const collectionsSuite = (start: Start): void => {
  const { subject, fixtures, call, pages } = provideSubject(start);
  const create = (json: unknown, query = '') =>
    call('POST', `/api/collections/${query}`, { token: fixtures.admin, json });
  const change = (id: string, json: unknown, query = '') =>
    call('PUT', `/api/collections/${id}${query}`, { token: fixtures.admin, json });
  const read = (id: string, options: CallOptions = { token: fixtures.admin }) =>
    call('GET', `/api/collections/${id}`, options);
  const readMetadata = (id: string, options: CallOptions = { token: fixtures.admin }) =>
    call('GET', `/api/collections/${id}/metadata`, options);
  const invalidBodyOf = (reply: Reply) => [
    reply.status,
    textOf(reply.body.detail).startsWith('Invalid request body: '),
  ];

  describe('creating', () => {
    test('returns the whole collection', async () => {
      const reply = await create({ name: ' Weather ', description: ' d ', openapi_spec: smallDocument, other: 1 });
      expect(reply.status).toBe(201);
      const { id, created_at, updated_at, ...rest } = reply.body;
      expect(rest).toEqual({
        name: 'Weather',
        description: 'd',
        openapi_spec: smallDocument,
        created_by: fixtures.adminId,
      });
      expect(updated_at).toBe(created_at);
      expect((await read(textOf(id))).body).toEqual({ id, created_at, ...rest });
    });

    test('a description may be absent, and names need not be unique', async () => {
      for (const description of [undefined, null, '']) {
        const reply = await create({ name: 'Same', description, openapi_spec: smallDocument });
        expect([reply.status, reply.body.description]).toEqual([201, '']);
      }
    });

    test('the document is returned exactly as it was sent', async () => {
      const text =
        '{ "openapi" : "3.1.0","info":{"title":"Big","version":"1"}, "paths":{}, "z":1, "a":12345678901234567890,\n "e":1.50E+2, "__proto__":{"x":1},"constructor":2 }';
      const raw = `{"name":"Exact","openapi_spec":${text}}`;
      const options = { token: fixtures.admin, raw, headers: ['Content-Type', 'application/json; charset=UTF-8'] };
      const reply = await call('POST', '/api/collections/', options);
      expect(reply.status).toBe(201);
      expect(reply.text).toContain(`"openapi_spec":${text}`);
      expect((await read(textOf(reply.body.id))).text).toContain(`"openapi_spec":${text}`);
    });

    test.each([
      ['no name', { openapi_spec: smallDocument }],
      ['a name that is null', { name: null, openapi_spec: smallDocument }],
      ['an empty name', { name: '  ', openapi_spec: smallDocument }],
      ['a name of 201 characters', { name: 'x'.repeat(201), openapi_spec: smallDocument }],
      [
        'a description of 10,001 characters',
        { name: 'n', description: 'x'.repeat(10_001), openapi_spec: smallDocument },
      ],
      ['no document', { name: 'n' }],
      ['a document that is null', { name: 'n', openapi_spec: null }],
      ['a document that is a string', { name: 'n', openapi_spec: '{}' }],
      ['a document that is an array', { name: 'n', openapi_spec: [] }],
      ['Swagger 2.0', { name: 'n', openapi_spec: { swagger: '2.0', info: { title: 't' }, paths: {} } }],
      ['OpenAPI 3.2', { name: 'n', openapi_spec: { ...smallDocument, openapi: '3.2.0' } }],
      ['no info', { name: 'n', openapi_spec: { openapi: '3.0.0', paths: {} } }],
      ['no title', { name: 'n', openapi_spec: { openapi: '3.0.0', info: {}, paths: {} } }],
      ['no paths', { name: 'n', openapi_spec: { openapi: '3.0.0', info: { title: 't' } } }],
      [
        'authentication of an unknown type',
        { name: 'n', openapi_spec: smallDocument, authentication: { type: 'digest' } },
      ],
      ['authentication that is a string', { name: 'n', openapi_spec: smallDocument, authentication: 'bearer' }],
      ['none with a value', { name: 'n', openapi_spec: smallDocument, authentication: { type: 'none', value: 'x' } }],
      ['apiKey without a name', { name: 'n', openapi_spec: smallDocument, authentication: { type: 'apiKey' } }],
      [
        'an apiKey in the body',
        { name: 'n', openapi_spec: smallDocument, authentication: { type: 'apiKey', name: 'k', in: 'body' } },
      ],
    ])('rejects %s', async (_case, json) => {
      expect(invalidBodyOf(await create(json))).toEqual([400, true]);
    });

    test('accepts a name of 200 and a description of 10,000 characters', async () => {
      const json = { name: 'x'.repeat(200), description: 'y'.repeat(10_000), openapi_spec: smallDocument };
      expect((await create(json)).status).toBe(201);
    });

    test('rejects keys that could reach a prototype, except inside the document', async () => {
      const post = (raw: string) =>
        call('POST', '/api/collections/', {
          token: fixtures.admin,
          raw,
          headers: ['Content-Type', 'application/json'],
        });
      const spec = JSON.stringify(smallDocument);
      expect((await post(`{"name":"n","__proto__":{},"openapi_spec":${spec}}`)).status).toBe(400);
      expect((await post(`{"name":"n","constructor":{},"openapi_spec":${spec}}`)).status).toBe(400);
      const nested = `{"name":"n","authentication":{"type":"none","__proto__":{}},"openapi_spec":${spec}}`;
      const rejection = await post(nested);
      expect(rejection.status).toBe(400);
      expect(rejection.body).toEqual({
        detail: 'Invalid request body: authentication.__proto__ is not allowed',
      });
    });

    test('warns about violations of the official schema, and rejects them in strict mode', async () => {
      const openapi_spec = { ...smallDocument, info: { title: 'No version' } };
      const reply = await create({ name: 'Departs', openapi_spec });
      expect(reply.status).toBe(201);
      const warnings = reply.body.warnings as { total: number; first: { pointer: string; message: string }[] };
      expect(warnings.total).toBeGreaterThan(0);
      expect(warnings.first.length).toBeGreaterThan(0);
      expect((await create({ name: 'Clean', openapi_spec: smallDocument })).body).not.toHaveProperty('warnings');
      expect(invalidBodyOf(await create({ name: 'Departs', openapi_spec }, '?strict=TRUE'))).toEqual([400, true]);
      expect((await create({ name: 'Departs', openapi_spec }, '?strict=False')).status).toBe(201);
      expect((await create({ name: 'Departs', openapi_spec }, '?strict=maybe')).body.detail).toBe(
        'Invalid query parameter: strict must be true or false',
      );
      const changedReply = await change(textOf(reply.body.id), { openapi_spec: { ...openapi_spec, x: 1 } });
      expect(changedReply.body).toHaveProperty('warnings.total');
    });

    test('an empty body and a body without a document are a 400', async () => {
      expect((await call('POST', '/api/collections/', { token: fixtures.admin })).body.detail).toBe(
        'Invalid request body: name is required',
      );
      expect((await create({ name: 'n' })).body.detail).toBe('Invalid request body: openapi_spec is required');
    });

    test('a body above the limit is a 413, both with Content-Length and chunked', async () => {
      const openapi_spec = { ...smallDocument, x: 'x'.repeat(1_048_576) };
      expect((await create({ name: 'n', openapi_spec })).status).toBe(413);
      const raw = JSON.stringify({ name: 'n', openapi_spec });
      const headers = ['Content-Type', 'application/json'];
      const chunkedReply = await call('POST', '/api/collections/', {
        token: fixtures.admin,
        raw,
        headers,
        isChunked: true,
      });
      expect(chunkedReply.status).toBe(413);
      const belowLimit = { name: 'n', openapi_spec: { ...smallDocument, x: 'x'.repeat(1_000_000) } };
      expect((await create(belowLimit)).status).toBe(201);
    });
  });

  describe('changing', () => {
    test('returns id, name, description and the time of the change', async () => {
      const id = await fixtures.newCollection();
      const reply = await change(id, { name: 'Renamed' });
      expect(Object.keys(reply.body)).toEqual(['id', 'name', 'description', 'updated_at']);
      expect(reply.body).toMatchObject({ id, name: 'Renamed', description: 'About it' });
      const repeatedReply = await change(id, { name: 'Renamed', authentication: '' });
      expect(repeatedReply.body).toEqual(reply.body);
      expect(textOf((await change(id, { description: 'New' })).body.updated_at) > textOf(reply.body.updated_at)).toBe(
        true,
      );
    });

    test('a new document replaces the old one and the data derived from it', async () => {
      const id = await fixtures.newCollection();
      expect((await change(id, { openapi_spec: securedDocument })).status).toBe(200);
      expect((await read(id)).body.openapi_spec).toEqual(securedDocument);
      expect((await readMetadata(id)).body).toMatchObject({
        base_url: 'https://eu.example.com/{version}',
        authentication: { type: 'apiKey', name: 'api_key', value: null, in: 'query' },
      });
    });

    test('an empty body changes nothing', async () => {
      const id = await fixtures.newCollection();
      expect((await call('PUT', `/api/collections/${id}`, { token: fixtures.admin })).status).toBe(200);
      expect((await change(id, { openapi_spec: null, name: '' })).status).toBe(200);
      expect((await read(id)).body.openapi_spec).toEqual(smallDocument);
    });

    test('an invalid body is reported before a missing collection', async () => {
      expect((await change(unknownId, { name: 5 })).status).toBe(400);
      for (const id of [unknownId, 'malformed']) {
        expect(outcomeOf(await change(id, { name: 'n' }))).toEqual([404, { detail: 'Collection not found' }]);
      }
    });
  });

  describe('deleting', () => {
    test('removes the collection permanently', async () => {
      const id = await fixtures.newCollection();
      const remove = () => call('DELETE', `/api/collections/${id}`, { token: fixtures.admin });
      expect(outcomeOf(await remove())).toEqual([200, { message: 'Collection deleted' }]);
      expect((await remove()).status).toBe(404);
      expect((await read(id)).status).toBe(404);
      expect((await call('DELETE', '/api/collections/x', { token: fixtures.admin })).status).toBe(404);
    });
  });

  describe('reading', () => {
    test('works with a grant, by token and by key; it is a 403 without a grant and a 404 for an unknown collection', async () => {
      const id = await fixtures.newCollection();
      const client = await fixtures.newClient();
      for (const options of [{ token: client.token }, { key: client.key }]) {
        for (const get of [read, readMetadata]) {
          expect(outcomeOf(await get(id, options))).toEqual([403, { detail: 'No access to this collection' }]);
          for (const missingId of [unknownId, 'malformed', '%00', `${id}x`]) {
            expect(outcomeOf(await get(missingId, options))).toEqual([404, { detail: 'Collection not found' }]);
          }
        }
      }
      await fixtures.grant(client, id);
      for (const options of [{ token: client.token }, { key: client.key }]) {
        expect((await read(id, options)).status).toBe(200);
        expect((await readMetadata(id, options)).status).toBe(200);
      }
      await fixtures.revoke(client, id);
      expect((await read(id, { key: client.key })).status).toBe(403);
    });

    test('a rejected profile reads nothing, even with a grant', async () => {
      const id = await fixtures.newCollection();
      const person = await fixtures.register();
      await fixtures.grant(person, id);
      expect((await read(id, { token: person.token })).status).toBe(200);
      await call('POST', `/api/profiles/${person.id}/reject`, { token: fixtures.admin });
      expect((await read(id, { token: person.token })).status).toBe(403);
      expect((await call('GET', '/api/collections/', { token: person.token })).list).toEqual([]);
    });

    test('gzip and identity have the same text but different entity tags; the response is a 304 if the caller has the body', async () => {
      const openapi_spec = { ...smallDocument, x: Array.from({ length: 5_000 }, (_, index) => `text ${index}`) };
      const id = await fixtures.newCollection({ openapi_spec, name: 'Zürich 😀' });
      const plainReply = await read(id);
      const gzippedReply = await read(id, { token: fixtures.admin, headers: ['Accept-Encoding', 'br, gzip;q=0.8'] });
      expect(gzippedReply.headers['content-encoding']).toBe('gzip');
      expect(gzippedReply.raw.length).toBeLessThan(plainReply.raw.length / 2);
      expect(gzippedReply.text).toBe(plainReply.text);
      expect(plainReply.body.openapi_spec).toEqual(openapi_spec);
      expect(plainReply.headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'private, no-cache' });
      expect(plainReply.headers.etag).not.toBe(gzippedReply.headers.etag);
      const uncompressedReply = await read(id, { token: fixtures.admin, headers: ['Accept-Encoding', 'gzip;q=0, *'] });
      expect(uncompressedReply.headers['content-encoding']).toBeUndefined();
      const readIfChanged = (etag: string) => read(id, { token: fixtures.admin, headers: ['If-None-Match', etag] });
      const etag = textOf(plainReply.headers.etag);
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const reply = await readIfChanged(tags);
        expect([reply.status, reply.raw.length, reply.headers.etag]).toEqual([304, 0, etag]);
      }
      expect((await readIfChanged('"x"')).status).toBe(200);
      await change(id, { description: 'changed' });
      expect((await readIfChanged(etag)).status).toBe(200);
    });

    test('HEAD responds like GET, without the body', async () => {
      const id = await fixtures.newCollection();
      const get = await read(id);
      const head = await call('HEAD', `/api/collections/${id}`, { token: fixtures.admin });
      expect([head.status, head.raw.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(head.headers.etag).toBe(get.headers.etag);
    });
  });

  describe('metadata', () => {
    test('without servers and security, the base URL is / and there is no authentication', async () => {
      const id = await fixtures.newCollection({ name: 'Bare', description: 'b' });
      const reply = await readMetadata(id);
      expect(reply.text).toBe(
        JSON.stringify({
          id,
          name: 'Bare',
          description: 'b',
          base_url: '/',
          authentication: { type: 'none', name: null, value: null },
        }),
      );
      const etag = textOf(reply.headers.etag);
      const repeatedReply = await readMetadata(id, { token: fixtures.admin, headers: ['If-None-Match', etag] });
      expect(repeatedReply.status).toBe(304);
    });

    test('a stored credential is returned only in the metadata, which must not be cached, and each read is audited', async () => {
      const value = 'very secret value';
      const authentication = { type: 'apiKey', name: 'X-Key', value };
      const createdReply = await create({ name: 'Stored', openapi_spec: smallDocument, authentication });
      expect(createdReply.text).not.toContain(value);
      const id = textOf(createdReply.body.id);
      const reply = await readMetadata(id);
      expect(reply.body.authentication).toEqual({ type: 'apiKey', name: 'X-Key', value, in: 'header' });
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(reply.headers.etag).toBeUndefined();
      expect((await read(id)).text).not.toContain(value);
      const log = await call('GET', '/api/audit/?source=system&action=collection.credential_read', {
        token: fixtures.admin,
      });
      expect(log.text).toContain(id);
      expect(log.text).not.toContain(value);
      expect(subject.listLogLines().join('')).not.toContain(value);
    });

    test("a PUT without a value keeps the stored value; type none clears it; null restores the document's scheme", async () => {
      const authentication = { type: 'bearer', value: 'kept value' };
      const id = await fixtures.newCollection({ authentication, openapi_spec: securedDocument });
      const readStoredAuthentication = async () => (await readMetadata(id)).body.authentication;
      expect(await readStoredAuthentication()).toEqual({ type: 'bearer', name: 'Authorization', value: 'kept value' });
      await change(id, { authentication: { type: 'basic' } });
      expect(await readStoredAuthentication()).toEqual({ type: 'basic', name: 'Authorization', value: 'kept value' });
      expect((await change(id, { authentication: { type: 'none', value: 'x' } })).status).toBe(400);
      await change(id, { authentication: { type: 'none' } });
      expect(await readStoredAuthentication()).toEqual({ type: 'none', name: null, value: null });
      await change(id, { authentication: null });
      expect(await readStoredAuthentication()).toEqual({ type: 'apiKey', name: 'api_key', value: null, in: 'query' });
    });
  });

  describe('listing', () => {
    test('an admin sees all collections, a client only granted collections, sorted by name, ignoring case', async () => {
      const ids = [];
      for (const name of ['list b', 'List A', 'LIST c']) ids.push(await fixtures.newCollection({ name }));
      const client = await fixtures.newClient();
      const readList = async () => (await call('GET', '/api/collections/', { token: client.token })).list;
      expect(await readList()).toEqual([]);
      for (const id of ids) await fixtures.grant(client, id);
      const entries = await readList();
      expect(entries.map(({ name }) => name)).toEqual(['List A', 'list b', 'LIST c']);
      expect(Object.keys(entries[0] ?? {})).toEqual(['id', 'name', 'description', 'created_at', 'updated_at']);
      await fixtures.revoke(client, ids[0] ?? '');
      expect((await readList()).map(({ name }) => name)).toEqual(['List A', 'LIST c']);
      await change(ids[1] ?? '', { name: 'zz' });
      expect((await readList()).map(({ name }) => name)).toEqual(['LIST c', 'zz']);
      const completeList = (await call('GET', '/api/collections', { token: fixtures.admin })).list;
      expect(completeList.length).toBeGreaterThan(3);
      expect((await call('GET', '/api/collections/', { key: client.key })).status).toBe(401);
    });

    test('returns an entity tag for each coding, and a 304 if nothing has changed', async () => {
      const readList = (...headers: string[]) => call('GET', '/api/collections/', { token: fixtures.admin, headers });
      const plainReply = await readList();
      const gzippedReply = await readList('Accept-Encoding', 'gzip');
      expect(gzippedReply.headers['content-encoding']).toBe('gzip');
      expect(gzippedReply.text).toBe(plainReply.text);
      expect(gzippedReply.headers.etag).not.toBe(plainReply.headers.etag);
      expect((await readList('If-None-Match', textOf(plainReply.headers.etag))).status).toBe(304);
      await fixtures.newCollection();
      expect((await readList('If-None-Match', textOf(plainReply.headers.etag))).status).toBe(200);
    });

    test('following the links of the pages returns the complete list', async () => {
      for (let count = 0; count < 5; count++) await fixtures.newCollection({ name: 'Same name' });
      const completeList = (await call('GET', '/api/collections/', { token: fixtures.admin })).list;
      const replies = await pages('/api/collections/?limit=2');
      for (const { list } of replies) expect(list.length).toBeLessThanOrEqual(2);
      expect(replies.flatMap(({ list }) => list)).toEqual(completeList);
    });

    test.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'limit=-1', 'limit=1&limit=2'])(
      '%s is a 400',
      async (query) => {
        const reply = await call('GET', `/api/collections/?${query}`, { token: fixtures.admin });
        expect([reply.status, textOf(reply.body.detail).startsWith('Invalid query parameter: limit')]).toEqual([
          400,
          true,
        ]);
      },
    );

    test('a cursor that cannot have been issued is a 400; a limit of 1000 is accepted', async () => {
      const listFrom = (cursor: string) => call('GET', `/api/collections/?cursor=${cursor}`, { token: fixtures.admin });
      for (const cursor of ['x', unknownId, `${unknownId}.!`, `x.${unknownId}`, `${unknownId}.YQ.YQ`]) {
        expect((await listFrom(cursor)).status).toBe(400);
      }
      // A cursor remains valid after its collection is deleted, regardless of the collection's name.
      for (const key of ['', 'a\0', 'ÿ'.repeat(300), '\ud800']) {
        const cursor = `${unknownId}.${Buffer.from(key).toString('base64url')}`;
        expect((await listFrom(cursor)).status).toBe(200);
      }
      expect((await listFrom(`${unknownId}._w`)).status).toBe(200);
      expect((await call('GET', '/api/collections/?limit=1000', { token: fixtures.admin })).status).toBe(200);
    });
  });
};
