import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { outcomeOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Start } from '../subject.ts';

const schemes = {
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  'api key/1': { type: 'apiKey', in: 'query', name: 'key' },
  oauth: { type: 'oauth2', flows: {} },
  certificate: { type: 'mutualTLS' },
};
const securedDocument = {
  ...smallDocument,
  servers: [{ url: 'https://api.example.com/v1' }],
  components: { securitySchemes: schemes },
};

/** Tests the base URL, the server variables and the credentials that an administrator sets for a collection. */
export const collectionSettingsSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  const create = async (fields: object = {}): Promise<string> => {
    const json = { name: 'Secured', openapi_spec: securedDocument, ...fields };
    return textOf((await asAdmin('POST', '/api/collections/', json)).body.id);
  };
  const pathOf = (id: string, scheme: string) => `/api/collections/${id}/credentials/${encodeURIComponent(scheme)}`;
  const put = (id: string, scheme: string, json: unknown) => asAdmin('PUT', pathOf(id, scheme), json);
  const remove = (id: string, scheme: string) => asAdmin('DELETE', pathOf(id, scheme));
  const list = async (id: string) => (await asAdmin('GET', `/api/collections/${id}/credentials`)).list;
  const readSummary = (id: string, options: CallOptions = { token: fixtures.admin }) =>
    call('GET', `/api/collections/${id}/summary`, options);
  const readAuthentication = async (id: string) =>
    (await asAdmin('GET', `/api/collections/${id}/metadata`)).body.authentication as { readonly value: unknown };
  const readEntries = async (id: string) =>
    ((await asAdmin('GET', `/api/audit/?source=system&collection_id=${id}`)).body.data as { message: object }[]).map(
      ({ message }) => message,
    );

  describe('base URL and server variables', () => {
    test('are set when a collection is created, and shown to clients with access', async () => {
      const settings = { base_url: 'https://api.example.com/v2/', server_variables: { region: 'eu', empty: '' } };
      const id = await create({ ...settings, base_url: ` ${settings.base_url} ` });
      const client = await fixtures.newClient();
      await fixtures.grant(client, id);
      expect((await readSummary(id, { key: client.key })).body).toMatchObject({
        base_url: 'https://api.example.com/v1',
        settings,
      });
      const plainId = await create();
      expect((await readSummary(plainId)).body.settings).toEqual({ base_url: null, server_variables: {} });
    });

    test('absent members keep them, new ones replace them, and null removes them', async () => {
      const id = await create({ base_url: 'http://localhost:8080', server_variables: { a: '1', b: '2' } });
      const change = async (json: object) => {
        const { etag } = (await readSummary(id)).headers;
        const reply = await asAdmin('PUT', `/api/collections/${id}`, json);
        expect(reply.status).toBe(200);
        const summary = await readSummary(id);
        return { settings: summary.body.settings, hasChanged: summary.headers.etag !== etag };
      };
      const initial = { base_url: 'http://localhost:8080', server_variables: { a: '1', b: '2' } };
      for (const json of [{}, { base_url: '' }, { server_variables: { b: '2', a: '1' } }, initial])
        expect(await change(json)).toEqual({ settings: initial, hasChanged: false });
      expect(await change({ server_variables: { b: '3' } })).toEqual({
        settings: { ...initial, server_variables: { b: '3' } },
        hasChanged: true,
      });
      expect(await change({ base_url: null, server_variables: null })).toEqual({
        settings: { base_url: null, server_variables: {} },
        hasChanged: true,
      });
      expect((await readEntries(id)).slice(0, 2)).toMatchObject([
        { action: 'collection.update', fields: ['base_url', 'server_variables'], base_url: null },
        { action: 'collection.update', fields: ['server_variables'] },
      ]);
    });

    test('the metadata keeps the base URL of the document', async () => {
      const id = await create({ base_url: 'https://other.example.com' });
      const { body } = await asAdmin('GET', `/api/collections/${id}/metadata`);
      expect(Object.keys(body)).toEqual(['id', 'name', 'description', 'base_url', 'authentication']);
      expect(body.base_url).toBe('https://api.example.com/v1');
    });

    test.each([
      ['/v1', 'absolute http or https URL'],
      ['mailto:ada@example.com', 'absolute http or https URL'],
      ['https://', 'absolute http or https URL'],
      ['https://a b.example', 'absolute http or https URL'],
      ['https://a.example\\v1', 'absolute http or https URL'],
      ['https://999.999.999.999', 'absolute http or https URL'],
      ['https://b\u00fccher.example', 'absolute http or https URL'],
      ['https://@a.example', 'user name or password'],
      ['https://a.example?', 'query or a fragment'],
      ['https://a.example#', 'query or a fragment'],
    ])('the base URL %s is rejected', async (base_url, reason) => {
      const id = await create();
      const reply = await asAdmin('PUT', `/api/collections/${id}`, { base_url });
      expect(outcomeOf(reply)).toEqual([400, { detail: expect.stringContaining(`base_url must`) as string }]);
      expect(reply.body.detail).toContain(reason);
    });
  });

  describe('credentials', () => {
    test('of the scheme that the authentication belongs to are stored there, and the metadata returns them', async () => {
      const id = await create();
      expect(outcomeOf(await put(id, 'token', { value: ' t0ken ' }))).toEqual([
        200,
        {
          ...{ id: 'authentication', for: { everyone: true }, scheme: 'token', kind: 'value' },
          ...{ created_at: null, updated_at: null },
        },
      ]);
      expect(await readAuthentication(id)).toEqual({ type: 'bearer', name: 'Authorization', value: 't0ken' });
      expect(await list(id)).toMatchObject([{ scheme: 'token', kind: 'value' }]);
      const collection = { collection_id: id, collection: 'Secured' };
      expect((await readEntries(id)).filter(({ action }: { action?: string }) => !action?.endsWith('read'))).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ action: 'collection.update', ...collection, fields: ['authentication'] }),
          expect.objectContaining({
            action: 'collection.credential_set',
            ...collection,
            scheme: 'token',
            kind: 'value',
          }),
        ]),
      );
      expect((await remove(id, 'token')).status).toBe(204);
      expect(await readAuthentication(id)).toEqual({ type: 'bearer', name: 'Authorization', value: null });
      expect((await readSummary(id)).body.authentication).toMatchObject({ is_set: false, has_value: false });
      expect((await remove(id, 'token')).status).toBe(404);
    });

    test('set as `authentication` are listed with their scheme, in any position of the document', async () => {
      const authentication = { type: 'basic', value: 'YWRhOng=' };
      const id = await create({ authentication });
      expect(await list(id)).toMatchObject([
        { id: 'authentication', scheme: 'login', kind: 'basic', created_at: null, updated_at: null },
      ]);
      await put(id, 'login', { username: 'ada', password: 'gr\u00f6\u00dfe:1' });
      expect((await readAuthentication(id)).value).toBe(Buffer.from('ada:gr\u00f6\u00dfe:1').toString('base64'));
      expect((await remove(id, 'login')).status).toBe(204);
      expect(await readAuthentication(id)).toEqual({ type: 'basic', name: 'Authorization', value: null });
      const otherId = await create({ authentication: { type: 'apiKey', name: 'X-Other', value: 'secret' } });
      expect(await list(otherId)).toEqual([]);
      expect((await remove(otherId, 'token')).status).toBe(404);
    });

    test('of other schemes are stored separately, replaced and removed, and the metadata does not change', async () => {
      const id = await create();
      const before = await readAuthentication(id);
      const first = (await put(id, 'api key/1', { value: 'k3y' })).body;
      expect(first).toMatchObject({ scheme: 'api key/1', kind: 'value', created_at: first.updated_at });
      await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret' });
      const replaced = (await put(id, 'api key/1', { value: 'n3w' })).body;
      expect(replaced.created_at).toBe(first.created_at);
      expect(textOf(replaced.updated_at) > textOf(first.updated_at)).toBe(true);
      expect(await list(id)).toMatchObject([replaced, { scheme: 'oauth', kind: 'client' }]);
      expect(await readAuthentication(id)).toEqual(before);
      expect((await remove(id, 'api key/1')).status).toBe(204);
      expect(await list(id)).toMatchObject([{ scheme: 'oauth' }]);
      expect(outcomeOf(await remove(id, 'api key/1'))).toEqual([404, { detail: 'Credential not found' }]);
    });

    test('a scheme has one credential: an OAuth client replaces the value of the authentication, and vice versa', async () => {
      const openapi_spec = { ...smallDocument, components: { securitySchemes: { oauth: schemes.oauth } } };
      const id = await create({ openapi_spec });
      await put(id, 'oauth', { value: 't0ken' });
      expect((await readAuthentication(id)).value).toBe('t0ken');
      await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret' });
      expect((await readAuthentication(id)).value).toBeNull();
      expect(await list(id)).toMatchObject([{ scheme: 'oauth', kind: 'client' }]);
      await put(id, 'oauth', { value: 't0ken 2' });
      expect((await readAuthentication(id)).value).toBe('t0ken 2');
      expect(await list(id)).toMatchObject([{ scheme: 'oauth', kind: 'value' }]);
    });

    test('a change of them changes the entity tags of the collection', async () => {
      const id = await create();
      const readTag = async () => (await readSummary(id)).headers.etag;
      const tags = [await readTag()];
      await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret' });
      tags.push(await readTag());
      await remove(id, 'oauth');
      tags.push(await readTag());
      expect(new Set(tags).size).toBe(3);
    });

    test('survive a new document, and can be removed although the document no longer has the scheme', async () => {
      const id = await create();
      await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret' });
      await asAdmin('PUT', `/api/collections/${id}`, { openapi_spec: smallDocument });
      expect(await list(id)).toMatchObject([{ scheme: 'oauth' }]);
      expect(outcomeOf(await put(id, 'oauth', { value: 'x' }))).toEqual([
        404,
        { detail: 'Security scheme not found: the document has none' },
      ]);
      expect((await remove(id, 'oauth')).status).toBe(204);
      expect(await list(id)).toEqual([]);
    });

    test('are rejected if the scheme is unknown or does not take this form', async () => {
      const id = await create();
      const names = 'token, login, api key/1, oauth, certificate';
      expect(outcomeOf(await put(id, 'TOKEN', { value: 'x' }))).toEqual([
        404,
        { detail: `Security scheme not found: the document has ${names}` },
      ]);
      const rejection = (reason: string) => [
        400,
        { detail: `Invalid request body: the scheme has the type ${reason}` },
      ];
      expect(outcomeOf(await put(id, 'login', { value: 'x' }))).toEqual(rejection('basic: send username and password'));
      expect(outcomeOf(await put(id, 'token', { username: 'ada', password: 'x' }))).toEqual(
        rejection('bearer: send value'),
      );
      expect(outcomeOf(await put(id, 'oauth', { username: 'ada', password: 'x' }))).toEqual(
        rejection('oauth2: send value, or client_id and client_secret'),
      );
      expect(outcomeOf(await put(id, 'certificate', { value: 'x' }))).toEqual(
        rejection('mutualTLS, for which no credential can be stored'),
      );
      for (const reply of [
        await put(unknownId, 'token', { value: 'x' }),
        await remove(unknownId, 'token'),
        await asAdmin('GET', `/api/collections/${unknownId}/credentials`),
      ])
        expect(outcomeOf(reply)).toEqual([404, { detail: 'Collection not found' }]);
    });

    test('a collection has at most 100 of them', async () => {
      const createDocument = (prefix: string) => ({
        ...smallDocument,
        components: {
          securitySchemes: Object.fromEntries(
            Array.from({ length: 100 }, (_, index) => [`${prefix}${index}`, schemes.oauth]),
          ),
        },
      });
      const id = await create({ openapi_spec: createDocument('a') });
      const client = { client_id: 'ada', client_secret: 's3cret' };
      for (let index = 0; index < 100; index++) expect((await put(id, `a${index}`, client)).status).toBe(200);
      await asAdmin('PUT', `/api/collections/${id}`, { openapi_spec: createDocument('b') });
      expect(outcomeOf(await put(id, 'b0', client))).toEqual([
        409,
        { detail: 'Too many credentials: a collection has at most 100' },
      ]);
      await remove(id, 'a0');
      expect((await put(id, 'b0', client)).status).toBe(200);
    });

    test('no response, audit entry or log line contains a secret, except the metadata', async () => {
      const id = await create();
      const secrets = ['s3cret-A', 's3cret-B', 's3cret-C'];
      const texts = [
        (await put(id, 'api key/1', { value: 's3cret-A' })).text,
        (await put(id, 'login', { username: 'ada', password: 's3cret-B' })).text,
        (await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret-C' })).text,
        (await put(id, 'login', { value: 's3cret-A' })).text,
        (await put(id, 'login', { username: 's3cret-A:', password: 's3cret-B' })).text,
        JSON.stringify(await list(id)),
        (await readSummary(id)).text,
        (await asAdmin('GET', `/api/collections/${id}?include=usage,discoverable`)).text,
        (await asAdmin('GET', `/api/collections/${id}/metadata`)).text,
        JSON.stringify(await readEntries(id)),
        subject.listLogLines().join('\n'),
      ];
      expect(texts.map((text) => secrets.some((secret) => text.includes(secret)))).toEqual(texts.map(() => false));
    });

    test('are removed with the collection', async () => {
      const id = await create();
      await put(id, 'oauth', { client_id: 'ada', client_secret: 's3cret' });
      expect((await asAdmin('DELETE', `/api/collections/${id}`)).status).toBe(200);
      expect((await asAdmin('GET', `/api/collections/${id}/credentials`)).status).toBe(404);
    });
  });
};
