import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { errorOf, expectError, type Reply } from '../reply.ts';
import { expectStatus, smallDocument, textOf, type Client, type Start } from '../subject.ts';

const operation = (operationId: string, summary: string) => ({
  operationId,
  summary,
  responses: { 200: { description: 'Done' } },
});
const document = {
  ...smallDocument,
  servers: [{ url: 'https://messages.example' }],
  paths: {
    '/messages': {
      get: operation('listMessages', 'List the messages that were sent'),
      post: operation('sendMessage', 'Send a text message to a phone'),
      head: operation('countMessages', 'Count the messages'),
    },
    '/messages/{id}/cancel': { get: operation('cancelMessage', 'Cancel a message') },
    '/reports': { get: operation('resetReports', 'Read reports') },
    '/messages/{id}': { delete: operation('deleteMessage', 'Delete a message') },
  },
};
type OperationId =
  'listMessages' | 'sendMessage' | 'countMessages' | 'cancelMessage' | 'resetReports' | 'deleteMessage';
type Call = 'allowed' | 'ask' | 'denied';
const secret = 'the-key-of-the-messages';

/** Tests the rules of grants: which operations may be called. */
export const grantRulesSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start, {
    settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
  });
  let messages: string;
  let keys: Readonly<Record<OperationId, string>>;
  let foreignKey: string;
  let client: Client;

  const listOperations = async (id: string, token: string) =>
    expectStatus(await call('GET', `/api/collections/${id}/operations`, { token }), 200).list;
  const readKeys = async (id: string) =>
    Object.fromEntries<unknown>(
      (await listOperations(id, fixtures.admin)).map((item) => [String(item.operation_id), item.operation_key]),
    );

  beforeAll(async () => {
    const authentication = { type: 'apiKey', name: 'X-Key', value: secret };
    messages = await fixtures.newCollection({ name: 'Messages', openapi_spec: document, authentication });
    keys = (await readKeys(messages)) as typeof keys;
    const roads = { ...smallDocument, paths: { '/roads': { get: operation('listRoads', 'List roads') } } };
    foreignKey = textOf((await readKeys(await fixtures.newCollection({ openapi_spec: roads }))).listRoads);
    await subject.runJobs();
  });
  beforeEach(async () => {
    client = await fixtures.newClient();
    expectStatus(await fixtures.grant(client, messages), 201);
  });

  const grantPath = () => `/api/access/clients/${client.id}/collections/${messages}`;
  const setRule = async (json: object): Promise<Reply> => expectStatus(await asAdmin('PUT', grantPath(), json), 200);
  const addGroup = async (): Promise<string> => {
    const { body } = expectStatus(await asAdmin('POST', '/api/groups', { name: `Crew of ${client.id}` }), 201);
    const id = textOf(body.id);
    expectStatus(await asAdmin('POST', `/api/groups/${id}/members/${client.id}`), 201);
    expectStatus(await asAdmin('POST', `/api/groups/${id}/collections/${messages}`), 201);
    return id;
  };
  const setGroupRule = async (id: string, json: object): Promise<Reply> =>
    expectStatus(await asAdmin('PUT', `/api/groups/${id}/collections/${messages}`, json), 200);
  const callsOf = async (): Promise<Readonly<Record<string, Call>>> => {
    const byToken = await listOperations(messages, client.token);
    const byKey = await call('GET', `/api/collections/${messages}/operations`, { key: client.key });
    expect(byKey.list).toEqual(byToken);
    return Object.fromEntries(byToken.map((item) => [item.operation_id, item.call])) as Record<string, Call>;
  };
  const allOf = (value: Call, others: Partial<Record<OperationId, Call>> = {}) => ({
    ...Object.fromEntries(Object.keys(keys).map((name) => [name, value])),
    ...others,
  });

  describe('a rule', () => {
    test('is changed in parts, and shown where it is set', async () => {
      const { body } = await setRule({ operations: [keys.listMessages, keys.sendMessage, keys.listMessages] });
      const rule = { operations: [keys.listMessages, keys.sendMessage], except: [] as string[], ask: [] as string[] };
      expect(body).toEqual({
        message: 'Access changed',
        client_id: client.id,
        collection_id: messages,
        granted_at: body.granted_at,
        expires_at: null,
        ...rule,
      });
      expect((await setRule({ ask: [keys.sendMessage] })).body).toMatchObject({ ...rule, ask: [keys.sendMessage] });
      const { body: changed } = await setRule({ expires_at: '2999-12-31', except: [keys.listMessages] });
      const complete = { ...rule, except: [keys.listMessages], ask: [keys.sendMessage] };
      expect(changed).toMatchObject({ ...complete, expires_at: '3000-01-01T00:00:00.000Z' });
      const granted = await asAdmin('GET', `/api/access/clients/${client.id}/collections?granted=true`);
      expect(granted.list).toMatchObject([{ id: messages, via: [{ kind: 'direct', ...complete }] }]);
      const clients = await asAdmin('GET', `/api/access/collections/${messages}/clients?include=ways`);
      expect(clients.list.find(({ client_id }) => client_id === client.id)).toMatchObject({ via: [complete] });
      const matrix = `/api/access/matrix?profile=${client.id}`;
      expect((await asAdmin('GET', matrix)).list).toMatchObject([complete]);
      const table = await call('GET', matrix, { token: fixtures.admin, headers: ['Accept', 'text/csv'] });
      const [header, row] = table.text.split('\r\n');
      expect(header).toMatch(/,last_day,operations,except,ask$/);
      expect(row?.endsWith(`,${keys.listMessages} ${keys.sendMessage},${keys.listMessages},${keys.sendMessage}`)).toBe(
        true,
      );
    });

    test('without restrictions is not shown in lists', async () => {
      await setRule({ operations: 'read_only' });
      expect((await setRule({ operations: 'all' })).body).toMatchObject({ operations: 'all', except: [], ask: [] });
      const { list } = await asAdmin('GET', `/api/access/matrix?profile=${client.id}`);
      expect(list).toHaveLength(1);
      for (const part of ['operations', 'except', 'ask']) expect(list[0]).not.toHaveProperty(part);
    });

    test('survives a new expiry, also of many grants, but not a revocation', async () => {
      await setRule({ operations: 'read_only' });
      await setRule({ expires_at: '2999-12-31' });
      expect(await callsOf()).toMatchObject({ sendMessage: 'denied' });
      const many = { profiles: [client.email], collections: [messages] };
      expect((await asAdmin('POST', '/api/access/grants', { ...many, expires_at: null })).body).toMatchObject({
        changed: 1,
      });
      expect((await asAdmin('POST', '/api/access/grants', many)).body).toMatchObject({ already: 1 });
      expect(await callsOf()).toMatchObject({ sendMessage: 'denied' });
      await fixtures.revoke(client, messages);
      await fixtures.grant(client, messages);
      expect(await callsOf()).toEqual(allOf('allowed'));
    });

    test('for reading shows how many operations it allows, and which sound like a change', async () => {
      const suspicious = (id: OperationId, path: string) => ({
        operation_key: keys[id],
        method: 'GET',
        path,
        operation_id: id,
      });
      const [cancel, reset] = [
        suspicious('cancelMessage', '/messages/{id}/cancel'),
        suspicious('resetReports', '/reports'),
      ];
      const { body } = await setRule({ operations: 'read_only' });
      expect(body.read_only).toEqual({ count: 4, suspicious: [cancel, reset] });
      const excepting = await setRule({ except: [keys.cancelMessage] });
      expect(excepting.body.read_only).toEqual({ count: 3, suspicious: [reset] });
      const group = await addGroup();
      expect((await setGroupRule(group, { operations: 'read_only' })).body.read_only).toEqual(body.read_only);
      expect((await setRule({ operations: 'all' })).body).not.toHaveProperty('read_only');
    });

    test('is audited only if it changes', async () => {
      const entriesOf = async () => {
        const path = `/api/audit/?source=system&action=access.rule&collection_id=${messages}&pageSize=100`;
        const { data } = (await asAdmin('GET', path)).body as { data: readonly { message: { profile_id: string } }[] };
        return data.map(({ message }) => message).filter(({ profile_id }) => profile_id === client.id);
      };
      await setRule({ operations: 'read_only', ask: [keys.listMessages] });
      await setRule({ operations: 'read_only', expires_at: '2999-12-31' });
      expect(await entriesOf()).toMatchObject([
        { action: 'access.rule', collection: 'Messages', operations: 'read_only', ask: [keys.listMessages] },
      ]);
      await setRule({ operations: 'all', ask: [] });
      expect(await entriesOf()).toHaveLength(2);
    });

    test('cannot name an unknown operation, or one of a different collection', async () => {
      const unknownKey = 'a'.repeat(16);
      for (const part of ['operations', 'except', 'ask']) {
        for (const key of [unknownKey, foreignKey]) {
          const reply = await asAdmin('PUT', grantPath(), {
            [part]: [keys.listMessages, key],
            expires_at: '2999-12-31',
          });
          const detail = `Invalid request body: the document has no operations with these keys: ${key}`;
          expect(errorOf(reply)).toEqual([400, detail]);
        }
      }
      expect(await callsOf()).toEqual(allOf('allowed'));
      const otherClient = await fixtures.newClient();
      const otherPath = `/api/access/clients/${otherClient.id}/collections/${messages}`;
      expectError(await asAdmin('PUT', otherPath, { ask: [unknownKey] }), 404, 'Grant not found');
    });

    test('has at most 1,000 keys in each list', async () => {
      const thousand = Array.from({ length: 1_000 }, () => keys.listMessages);
      for (const part of ['operations', 'except', 'ask']) {
        expect((await setRule({ [part]: thousand })).body[part]).toEqual([keys.listMessages]);
        const [status, detail] = errorOf(
          await asAdmin('PUT', grantPath(), { [part]: [...thousand, keys.listMessages] }),
        );
        expect([status, detail]).toEqual([400, expect.stringContaining('at most 1,000')]);
      }
    });
  });

  describe('callers see', () => {
    test.each<readonly [string, (operationKeys: typeof keys) => object, Call, Partial<Record<OperationId, Call>>]>([
      ['nothing', () => ({ operations: [] }), 'denied', {}],
      [
        'read operations',
        ({ countMessages }) => ({ operations: 'read_only', except: [countMessages] }),
        'allowed',
        { sendMessage: 'denied', deleteMessage: 'denied', countMessages: 'denied' },
      ],
      [
        'operations that need a decision',
        ({ sendMessage }) => ({ ask: [sendMessage] }),
        'allowed',
        { sendMessage: 'ask' },
      ],
    ])('%s in lists, searches, slices and tools, at once', async (_name, ruleOf, most, others) => {
      const expected = allOf(most, others) as Readonly<Record<OperationId, Call>>;
      await setRule(ruleOf(keys));
      expect(await callsOf()).toEqual(expected);
      const json = { query: 'send a text message to a phone' };
      const unrestricted = await call('POST', '/api/operations/search', { json, token: fixtures.admin });
      const ownReply = await call('POST', '/api/operations/search', { json, key: client.key });
      expect(ownReply.list.length).toBeGreaterThan(0);
      const ofMessages = unrestricted.list.filter(({ collection_id }) => collection_id === messages);
      expect(ofMessages.every((result) => result.call === 'allowed')).toBe(true);
      expect(ownReply.list).toEqual(
        ofMessages.map((result) => ({ ...result, call: expected[result.operation_id as OperationId] })),
      );
      for (const id of Object.keys(keys) as OperationId[]) {
        const path = `/api/collections/${messages}/operations/${keys[id]}`;
        for (const query of ['', '?detail=full', '?as=tool']) {
          // The second response may come from a cache.
          for (const credential of [{ token: client.token }, { key: client.key }])
            expect((await call('GET', path + query, credential)).body.call).toBe(expected[id]);
          expect((await call('GET', path + query, { token: fixtures.admin })).body.call).toBe('allowed');
        }
        expect((await call('GET', `${path}?as=openapi`, { token: client.token })).status).toBe(200);
      }
      await setRule({ operations: 'all', except: [], ask: [] });
      expect(await callsOf()).toEqual(allOf('allowed'));
    });

    test('entity tags that change with a rule', async () => {
      const path = `/api/collections/${messages}/operations/${keys.sendMessage}`;
      const read = (etag = '""') => call('GET', path, { key: client.key, headers: ['If-None-Match', etag] });
      const { etag: allowedTag = '' } = (await read()).headers;
      expect((await read(allowedTag)).status).toBe(304);
      await setRule({ operations: 'read_only' });
      const denied = await read(allowedTag);
      expect([denied.status, denied.body.call]).toEqual([200, 'denied']);
      expect((await read(denied.headers.etag)).status).toBe(304);
      await setRule({ operations: [keys.listMessages] });
      expect((await read(denied.headers.etag)).status).toBe(304);
      await setRule({ operations: 'all' });
      expect((await read(denied.headers.etag)).body.call).toBe('allowed');
    });

    test('a slice within its limit, with the permission', async () => {
      await setRule({ ask: [keys.sendMessage] });
      const path = `/api/collections/${messages}/operations/${keys.sendMessage}?max_bytes=1024`;
      const { text, body } = await call('GET', path, { key: client.key });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
      expect(body.call).toBe('ask');
    });

    test('everything that their own grant or a group allows', async () => {
      await setRule({ operations: 'read_only', ask: [keys.listMessages, keys.countMessages] });
      const group = await addGroup();
      expect(await callsOf()).toEqual(allOf('allowed'));
      const { body } = await setGroupRule(group, {
        operations: [keys.sendMessage, keys.listMessages],
        ask: [keys.sendMessage, keys.listMessages],
      });
      expect(body.operations).toEqual([keys.sendMessage, keys.listMessages]);
      const together = allOf('allowed', {
        listMessages: 'ask',
        countMessages: 'ask',
        sendMessage: 'ask',
        deleteMessage: 'denied',
      });
      expect(await callsOf()).toEqual(together);
      expect((await asAdmin('GET', `/api/groups/${group}/collections`)).list).toMatchObject([
        { id: messages, operations: body.operations, ask: body.ask },
      ]);
      await setGroupRule(group, { ask: [keys.sendMessage] });
      expect(await callsOf()).toEqual({ ...together, listMessages: 'allowed' });
      await asAdmin('DELETE', `/api/groups/${group}/members/${client.id}`);
      expect(await callsOf()).toEqual({ ...together, sendMessage: 'denied' });
      await fixtures.revoke(client, messages);
      expect((await call('GET', `/api/collections/${messages}/operations`, { key: client.key })).status).toBe(403);
    });
  });

  describe('the credential', () => {
    const readMetadata = (query = '') =>
      call('GET', `/api/collections/${messages}/metadata${query}`, { key: client.key });
    const readCount = async () => {
      const { data } = (await asAdmin('GET', '/api/audit/?source=system&action=collection.credential_read')).body as {
        readonly data: readonly unknown[];
      };
      return data.length;
    };

    test.each<readonly [string, (operationKeys: typeof keys) => object]>([
      ['for reading', () => ({ operations: 'read_only' })],
      ['with an exception', ({ sendMessage }) => ({ except: [sendMessage] })],
      ['that asks', ({ sendMessage }) => ({ ask: [sendMessage] })],
    ])('is hidden by a rule %s, and shown again without it', async (_name, ruleOf) => {
      expect((await readMetadata()).body.authentication).toMatchObject({ value: secret });
      const before = await readCount();
      await setRule(ruleOf(keys));
      for (const query of ['', '?include=hints']) {
        const reply = await readMetadata(query);
        expect(reply.text).not.toContain(secret);
        expect(reply.body.authentication).toMatchObject({
          type: 'apiKey',
          name: 'X-Key',
          value: null,
          value_hint: expect.stringMatching(/^not shown, because your grant limits/) as string,
        });
      }
      expect(await readCount()).toBe(before);
      const { etag = '' } = (await readMetadata()).headers;
      await setRule({ operations: 'all', except: [], ask: [] });
      const reply = await call('GET', `/api/collections/${messages}/metadata`, {
        key: client.key,
        headers: ['If-None-Match', etag],
      });
      expect([reply.status, reply.body.authentication]).toEqual([200, expect.objectContaining({ value: secret })]);
    });

    test('is shown to an administrator', async () => {
      const reply = await call('GET', `/api/collections/${messages}/metadata`, { token: fixtures.admin });
      expect(reply.body.authentication).toMatchObject({ value: secret });
    });
  });
};
