import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { outcomeOf } from '../reply.ts';
import { expectStatus, smallDocument, textOf, unknownId, type Start } from '../subject.ts';

const openapi_spec = {
  ...smallDocument,
  servers: [{ url: 'https://api.example.com/v1' }],
  security: [{ token: [] }, { key: [] }],
  paths: { '/forecast': { get: { operationId: 'readForecast', summary: 'Read the forecast', responses: {} } } },
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
};
const secrets = ['s3cret-of-everyone', 's3cret-key', 's3cret-of-group', 's3cret-of-client'] as const;
const [secretOfEveryone, secretKey, secretOfGroup, secretOfClient] = secrets;
const mcpRevision = '2026-07-28';

/** Tests the credentials of groups and profiles, how they are used, and where they may be sent. */
export const deliverySuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  let groupCount = 0;
  const create = async (): Promise<string> => {
    const json = { name: 'Secured', openapi_spec, authentication: { type: 'bearer', value: secretOfEveryone } };
    return textOf((await asAdmin('POST', '/api/collections/', json)).body.id);
  };
  const createGranted = async () => {
    const [id, client] = [await create(), await fixtures.newClient()];
    await fixtures.grant(client, id);
    return { id, client };
  };
  const newGroup = async (): Promise<{ readonly id: string; readonly name: string }> => {
    const name = `Crew of keys/${++groupCount}`;
    return { id: textOf((await asAdmin('POST', '/api/groups', { name })).body.id), name };
  };
  const pathOf = (id: string, rest: string) => `/api/collections/${id}/${rest}`;
  const setDelivery = async (id: string, json: object) =>
    expectStatus(await asAdmin('PUT', pathOf(id, 'delivery'), json), 200).body;
  const list = async (id: string) => (await asAdmin('GET', pathOf(id, 'credentials'))).list;
  const readEntries = async (id: string) =>
    ((await asAdmin('GET', `/api/audit/?source=system&collection_id=${id}`)).body.data as { message: object }[]).map(
      ({ message }) => message,
    );
  const callTool = (name: string, args: object, credential: CallOptions) => {
    const params = {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': mcpRevision,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    return call('POST', '/mcp', {
      ...credential,
      headers: ['Mcp-Protocol-Version', mcpRevision, 'Mcp-Method', 'tools/call', 'Mcp-Name', name],
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
  };

  describe('credentials of groups and profiles', () => {
    test('are stored by name, email or id, listed with their subjects, replaced, removed, and audited', async () => {
      const { id, client } = await createGranted();
      const group = await newGroup();
      const groupPath = pathOf(id, `credentials/key/groups/${encodeURIComponent(group.name)}`);
      const stored = expectStatus(await asAdmin('PUT', groupPath, { value: secretOfGroup }), 200).body;
      expect(stored).toMatchObject({ scheme: 'key', kind: 'value', for: { group_id: group.id, group: group.name } });
      const profilePath = pathOf(id, `credentials/key/profiles/${client.email}`);
      expectStatus(await asAdmin('PUT', profilePath, { value: secretOfClient }), 200);
      const replaced = expectStatus(await asAdmin('PUT', groupPath, { value: 'n3w' }), 200).body;
      expect([replaced.id, replaced.created_at]).toEqual([stored.id, stored.created_at]);
      expect(await list(id)).toMatchObject([
        replaced,
        { for: { profile_id: client.id, email: client.email } },
        { id: 'authentication', scheme: 'token', for: { everyone: true } },
      ]);
      expect((await asAdmin('DELETE', groupPath)).status).toBe(204);
      expect(outcomeOf(await asAdmin('DELETE', groupPath))).toEqual([404, { detail: 'Credential not found' }]);
      expect((await asAdmin('DELETE', pathOf(id, `credentials/key/profiles/${client.id}`))).status).toBe(204);
      const fields = { collection_id: id, scheme: 'key' };
      expect((await readEntries(id)).slice(0, 3)).toMatchObject([
        { action: 'collection.credential_delete', ...fields, profile_id: client.id, profile: client.email },
        { action: 'collection.credential_delete', ...fields, group_id: group.id, credential_id: stored.id },
        { action: 'collection.credential_set', ...fields, group: group.name, credential_id: stored.id },
      ]);
    });

    test('a scheme, a group and a profile must exist, and the scheme must take the form', async () => {
      const { id, client } = await createGranted();
      const group = await newGroup();
      const put = async (rest: string, json: object = { value: 'x' }) =>
        (await asAdmin('PUT', pathOf(id, `credentials/${rest}`), json)).status;
      expect(await put(`none/groups/${group.id}`)).toBe(404);
      expect(await put(`key/groups/${unknownId}`)).toBe(404);
      expect(await put(`key/profiles/nobody@example.com`)).toBe(404);
      expect(await put(`key/profiles/${client.id}`, { username: 'ada', password: 'x' })).toBe(400);
    });

    test('are removed with their group and profile', async () => {
      const { id, client } = await createGranted();
      const group = await newGroup();
      await asAdmin('PUT', pathOf(id, `credentials/key/groups/${group.id}`), { value: secretOfGroup });
      await asAdmin('PUT', pathOf(id, `credentials/key/profiles/${client.id}`), { value: secretOfClient });
      expect(await list(id)).toHaveLength(3);
      expectStatus(await asAdmin('DELETE', `/api/groups/${group.id}`), 200);
      expectStatus(await asAdmin('DELETE', `/api/profiles/${client.id}`), 200);
      expect(await list(id)).toMatchObject([{ id: 'authentication' }]);
    });
  });

  describe('own credentials', () => {
    const json = { value: secretOfClient };

    test('a client stores, sees and removes its own, and only where an administrator allows them', async () => {
      const { id, client } = await createGranted();
      const path = pathOf(id, 'credentials/key/profiles/me');
      const off = 'Own credentials are off: an administrator of the catalog can allow them for this collection';
      const put = () => call('PUT', path, { token: client.token, json });
      expect(outcomeOf(await put())).toEqual([403, { detail: off }]);
      expect((await call('DELETE', path, { token: client.token })).status).toBe(403);
      await setDelivery(id, { own_credentials: true });
      const stored = expectStatus(await put(), 200).body;
      expect(stored).toMatchObject({ scheme: 'key', for: { profile_id: client.id, email: client.email } });
      const readOwn = async () =>
        expectStatus(await call('GET', pathOf(id, 'own-credentials'), { key: client.key }), 200).list;
      expect(await readOwn()).toEqual([stored]);
      const other = await fixtures.newClient();
      expect((await call('PUT', path, { token: other.token, json })).status).toBe(403);
      const otherPath = pathOf(id, `credentials/key/profiles/${other.id}`);
      expect((await call('PUT', otherPath, { token: client.token, json })).status).toBe(403);
      await asAdmin('PUT', otherPath, { value: secretKey });
      expect(await readOwn()).toEqual([stored]);
      expect((await call('DELETE', path, { token: client.token })).status).toBe(204);
      expect(await readOwn()).toEqual([]);
      expect(await readEntries(id)).toContainEqual(
        expect.objectContaining({ action: 'collection.credential_delete', actor: client.email, profile_id: client.id }),
      );
    });
  });

  describe('the delivery', () => {
    test('is shown to clients with access, changes only as requested, and is audited', async () => {
      const { id, client } = await createGranted();
      const read = async () => (await call('GET', pathOf(id, 'delivery'), { key: client.key })).body;
      expect(await read()).toEqual({ delivery: 'reveal', own_credentials: false });
      await setDelivery(id, { own_credentials: true });
      expect(await setDelivery(id, { delivery: 'call' })).toEqual({ delivery: 'call', own_credentials: true });
      expect(await setDelivery(id, {})).toEqual({ delivery: 'call', own_credentials: true });
      expect(await read()).toEqual({ delivery: 'call', own_credentials: true });
      expect((await readEntries(id)).slice(0, 2)).toMatchObject([
        { action: 'collection.update', fields: ['delivery'], delivery: 'call' },
        { action: 'collection.update', fields: ['own_credentials'], own_credentials: true },
      ]);
    });

    test('under `reveal`, only the credential for everyone is shown; under `call`, no response shows any', async () => {
      const { id, client } = await createGranted();
      const group = await newGroup();
      await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      await setDelivery(id, { own_credentials: true });
      const writes = [
        await asAdmin('PUT', pathOf(id, 'credentials/key'), { value: secretKey }),
        await asAdmin('PUT', pathOf(id, `credentials/key/groups/${group.id}`), { value: secretOfGroup }),
        await call('PUT', pathOf(id, 'credentials/key/profiles/me'), {
          token: client.token,
          json: { value: secretOfClient },
        }),
      ];
      const { list: operations } = await call('GET', pathOf(id, 'operations'), { key: client.key });
      const operationKey = textOf(operations[0]?.['operation_key']);
      const paths = [
        ...['', '/summary', '/metadata', '/metadata?include=hints', '/openapi.json', '/openapi.yaml', '/delivery'],
        ...['/credentials', '/own-credentials', '/origins', '/operations', `/operations/${operationKey}`],
        ...[`/operations/${operationKey}?as=tool`, `/operations/${operationKey}?detail=full`],
      ].map((rest) => `/api/collections/${id}${rest}`);
      const tools = [
        ['get_api', { collection_id: id }],
        ['read_credential', { collection_id: id }],
        ['read_credential', { collection_id: id, scheme: 'token' }],
        ['read_credential', { collection_id: id, scheme: 'key' }],
        ['describe_operation', { collection_id: id, operation_key: operationKey }],
        ['prepare_call', { collection_id: id, operation_key: operationKey, arguments: {} }],
      ] as const;
      /** Returns which secrets occur in which responses. */
      const findSecrets = async () => {
        const texts: [name: string, text: string][] = writes.map(({ text }, index) => [`write ${index}`, text]);
        for (const [caller, credential] of [
          ['client', { key: client.key }],
          ['admin', { token: fixtures.admin }],
        ] as const) {
          for (const path of [...paths, '/api/collections/', '/api/audit/'])
            texts.push([`${caller} ${path.replace(id, 'id')}`, (await call('GET', path, credential)).text]);
          for (const [name, args] of tools)
            texts.push([
              `${caller} ${name} ${'scheme' in args ? args.scheme : ''}`,
              (await callTool(name, args, credential)).text,
            ]);
        }
        texts.push(['log', subject.listLogLines().join('\n')]);
        return texts.flatMap(([name, text]) =>
          secrets.filter((secret) => text.includes(secret)).map((secret) => `${name}: ${secret}`),
        );
      };
      const expected = ['client', 'admin'].flatMap((caller) => [
        `${caller} /api/collections/id/metadata: ${secretOfEveryone}`,
        `${caller} /api/collections/id/metadata?include=hints: ${secretOfEveryone}`,
        `${caller} read_credential : ${secretOfEveryone}`,
        `${caller} read_credential token: ${secretOfEveryone}`,
        `${caller} read_credential key: ${secretKey}`,
      ]);
      expect(await findSecrets()).toEqual(expected);
      await setDelivery(id, { delivery: 'call' });
      expect(await findSecrets()).toEqual([]);
      const { body } = await call('GET', pathOf(id, 'metadata'), { key: client.key });
      expect(body.authentication).toEqual({
        ...{ type: 'bearer', name: 'Authorization', value: null },
        value_hint: expect.stringContaining('call_operation') as string,
      });
      expect((await callTool('read_credential', { collection_id: id }, { key: client.key })).text).toContain(
        'The credential of this API is not shown to you',
      );
      expect((await callTool('get_api', { collection_id: id }, { key: client.key })).text).toContain('call_operation');
    });
  });

  describe('origins', () => {
    test('a new document by a service account does not rebind credentials; an administrator confirms the origins', async () => {
      const { id } = await createGranted();
      await asAdmin('PUT', pathOf(id, 'credentials/key'), { value: secretKey });
      const { token } = (
        await asAdmin('POST', '/api/service-accounts', { name: `publisher ${id}`, scopes: ['catalog:write'] })
      ).body;
      const servers = [{ url: 'https://evil.example' }];
      const json = { openapi_spec: { ...openapi_spec, servers }, authentication: { type: 'bearer' } };
      expectStatus(await call('PUT', `/api/collections/${id}`, { token: textOf(token), json }), 200);
      const read = async () => (await asAdmin('GET', pathOf(id, 'origins'))).body;
      const old = ['https://api.example.com'];
      expect(await read()).toMatchObject({
        current: ['https://evil.example'],
        credentials: [
          { id: 'authentication', scheme: 'token', origins: old, is_current: false },
          { scheme: 'key', for: { everyone: true }, origins: old, is_current: false },
        ],
      });
      const confirm = (origins: readonly string[], options: CallOptions = { token: fixtures.admin }) =>
        call('POST', pathOf(id, 'origins/confirm'), { ...options, json: { origins } });
      expect((await confirm(['https://evil.example'], { token: textOf(token) })).status).toBe(403);
      expect(outcomeOf(await confirm(old))).toEqual([
        409,
        { detail: 'The address of the API has changed: its origins are https://evil.example' },
      ]);
      expect(
        (await call('POST', pathOf(unknownId, 'origins/confirm'), { token: fixtures.admin, json: { origins: old } }))
          .status,
      ).toBe(404);
      expect((await confirm(['https://evil.example'])).status).toBe(204);
      expect(await read()).toMatchObject({ credentials: [{ is_current: true }, { is_current: true }] });
      expect((await readEntries(id))[0]).toMatchObject({
        action: 'collection.origins_confirm',
        origins: ['https://evil.example'],
        count: 1,
      });
    });
  });
};
