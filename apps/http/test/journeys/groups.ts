import { beforeAll, describe, expect, test } from 'vitest';
import { expectError, outcomeOf } from '../reply.ts';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, textOf, unknownId, type Client, type Start } from '../subject.ts';

const weather = {
  ...smallDocument,
  paths: { '/forecast': { get: { operationId: 'readForecast', summary: 'Read the weather forecast', responses: {} } } },
};
const mcpRevision = '2026-07-28';
const fullAccess = {
  list: true,
  read: 200,
  metadata: 200,
  search: true,
  operations: 200,
  operationSearch: true,
  mcp: true,
};
const noAccess = {
  list: false,
  read: 403,
  metadata: 403,
  search: false,
  operations: 403,
  operationSearch: false,
  mcp: false,
};

/** Tests groups: manual members, members by claim, and their access. */
export const groupsSuite = (start: Start): void => {
  const { subject, fixtures, call, pages, asAdmin } = provideSubject(start, { groupsClaim: true });
  let collection: string;
  let groupCount = 0;
  const newGroup = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const name = `Crew ${++groupCount}`;
    const { body } = expectStatus(await asAdmin('POST', '/api/groups', { name, ...fields }), 201);
    return { id: textOf(body.id), name: textOf(body.name) };
  };
  /** Creates a group with access to the collection. */
  const newGroupWithAccess = async () => {
    const group = await newGroup();
    expectStatus(await asAdmin('POST', `/api/groups/${group.id}/collections/${collection}`), 201);
    return group;
  };
  const tokenOf = ({ uid, email }: Client, groups: readonly string[], ttlSeconds?: number) =>
    subject.mint({ uid, email, groups }, ttlSeconds);
  const signIn = async (token: string): Promise<string> => {
    expectStatus(await call('GET', '/api/profiles/me', { token }), 200);
    return token;
  };

  const has = (text: string): boolean => text.includes(collection);
  const connectMcp = (credential: CallOptions) => {
    const params = {
      name: 'list_apis',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': mcpRevision,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const headers = ['MCP-Protocol-Version', mcpRevision, 'Mcp-Method', 'tools/call', 'Mcp-Name', 'list_apis'];
    return call('POST', '/mcp', {
      ...credential,
      headers,
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
  };
  /** Returns a caller's access to the collection through every endpoint. The list requires a token. */
  const accessOf = async (credential: CallOptions, token: string) => {
    const path = `/api/collections/${collection}`;
    const query = { json: { query: 'weather forecast' } };
    return {
      list: has(expectStatus(await call('GET', '/api/collections/', { token }), 200).text),
      read: (await call('GET', path, credential)).status,
      metadata: (await call('GET', `${path}/metadata`, credential)).status,
      search: has(expectStatus(await call('POST', '/api/vector/search', { ...query, ...credential }), 200).text),
      operations: (await call('GET', `${path}/operations`, credential)).status,
      operationSearch: has(
        expectStatus(await call('POST', '/api/operations/search', { ...query, ...credential }), 200).text,
      ),
      mcp: has(expectStatus(await connectMcp(credential), 200).text),
    };
  };
  const expectAccess = async (client: Client, token: string, expected: typeof fullAccess | typeof noAccess) => {
    expect(await accessOf({ token }, token)).toEqual(expected);
    expect(await accessOf({ key: client.key }, token)).toEqual(expected);
  };

  beforeAll(async () => {
    collection = await fixtures.newCollection({ name: 'Weather', description: 'Forecasts', openapi_spec: weather });
    await subject.runJobs();
  });

  describe('a group', () => {
    test('is created, read, changed and deleted', async () => {
      const { id, name } = await newGroup({ description: ' All of them ', tier: '' });
      const { body: createdGroup } = await asAdmin('GET', `/api/groups/${id}`);
      expect(createdGroup).toEqual({
        id,
        name,
        description: 'All of them',
        tier: null,
        created_at: createdGroup.created_at,
        updated_at: createdGroup.created_at,
        member_count: 0,
        collection_count: 0,
        members: [],
        collections: [],
      });
      expect((await asAdmin('PUT', `/api/groups/${id}`, { name: '', description: null, tier: '' })).body).toMatchObject(
        {
          name,
          description: '',
          tier: null,
        },
      );
      const renamedReply = await asAdmin('PUT', `/api/groups/${id}`, { name: `${name} (new)` });
      expect(renamedReply.body.name).toBe(`${name} (new)`);
      expect((await asAdmin('GET', `/api/groups/${encodeURIComponent(`${name} (new)`)}`)).body.id).toBe(id);
      expect((await asAdmin('DELETE', `/api/groups/${id}`)).body).toEqual({ message: 'Group deleted' });
      for (const path of [id, encodeURIComponent(name)])
        expect((await asAdmin('GET', `/api/groups/${path}`)).body).toEqual({ detail: 'Group not found' });
      expect((await asAdmin('GET', '/api/groups')).list.map((group) => group.id)).not.toContain(id);
    });

    test('has a name of 1 to 200 characters and a description of at most 1,000', async () => {
      for (const name of ['x'.repeat(200), '🙂'.repeat(200)]) await newGroup({ name });
      await newGroup({ description: '🙂'.repeat(1_000) });
      for (const fields of [
        { name: 'y'.repeat(201) },
        { name: '' },
        { name: 'a\u202eb' },
        { description: 'x'.repeat(1_001) },
      ])
        expect((await asAdmin('POST', '/api/groups', { name: 'fine', ...fields })).status).toBe(400);
    });

    test('has a unique name, and a tier that exists', async () => {
      const [firstGroup, secondGroup] = [await newGroup(), await newGroup()];
      const alreadyExists = [409, { detail: 'Group already exists' }];
      const tierNotFound = [404, { detail: 'Tier not found' }];
      const getOutcome = async (method: string, path: string, json: object) =>
        outcomeOf(await asAdmin(method, path, json));
      expect(await getOutcome('POST', '/api/groups', { name: firstGroup.name })).toEqual(alreadyExists);
      expect(await getOutcome('PUT', `/api/groups/${secondGroup.id}`, { name: firstGroup.name })).toEqual(
        alreadyExists,
      );
      expect(await getOutcome('POST', '/api/groups', { name: 'Tierless', tier: 'none' })).toEqual(tierNotFound);
      expect(await getOutcome('PUT', `/api/groups/${firstGroup.id}`, { tier: 'none' })).toEqual(tierNotFound);
      expect(await getOutcome('PUT', `/api/groups/${firstGroup.id}/tier`, { tier: 'none' })).toEqual(tierNotFound);
    });

    test('that is unknown is a 404 on every route', async () => {
      for (const path of [unknownId, 'nobody']) {
        const groupPath = `/api/groups/${path}`;
        for (const [method, suffix, json] of [
          ['GET', ''],
          ['PUT', '', {}],
          ['DELETE', ''],
          ['PUT', '/tier', { tier: null }],
          ['GET', '/members'],
          ['POST', '/members', { profiles: ['x'] }],
          ['POST', `/members/${unknownId}`],
          ['DELETE', `/members/${unknownId}`],
          ['GET', '/collections'],
          ['POST', `/collections/${collection}`],
          ['PUT', `/collections/${collection}`, { expires_at: null }],
          ['DELETE', `/collections/${collection}`],
        ] as const) {
          expectError(await asAdmin(method, `${groupPath}${suffix}`, json), 404, 'Group not found');
        }
      }
    });
  });

  describe('a manual member', () => {
    test('has the access of the group on every route until it leaves the group', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      await expectAccess(client, client.token, noAccess);
      const reply = await asAdmin('POST', `/api/groups/${encodeURIComponent(group.name)}/members/${client.id}`);
      expect([reply.status, reply.body]).toEqual([
        201,
        {
          message: 'User added to the group',
          group_id: group.id,
          profile_id: client.id,
          added_at: expect.any(String) as string,
          claimed_at: null,
        },
      ]);
      await expectAccess(client, client.token, fullAccess);
      const repeatedReply = await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      expect([repeatedReply.status, repeatedReply.body]).toEqual([409, { detail: 'User already in the group' }]);
      const removalReply = await asAdmin('DELETE', `/api/groups/${group.id}/members/${client.id}`);
      expect(removalReply.body).toEqual({ message: 'User removed from the group' });
      await expectAccess(client, client.token, noAccess);
      const missingReply = await asAdmin('DELETE', `/api/groups/${group.id}/members/${client.id}`);
      expect([missingReply.status, missingReply.body]).toEqual([404, { detail: 'User not in the group' }]);
    });

    test('loses access if the grant or the group is deleted', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      const grantPath = `/api/groups/${group.id}/collections/${collection}`;
      await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      await expectAccess(client, client.token, fullAccess);
      expect((await asAdmin('DELETE', grantPath)).body).toEqual({ message: 'Access revoked' });
      await expectAccess(client, client.token, noAccess);
      expect((await asAdmin('DELETE', grantPath)).body).toEqual({ detail: 'Grant not found' });
      expectStatus(await asAdmin('POST', grantPath, { expires_at: '' }), 201);
      await expectAccess(client, client.token, fullAccess);
      expectStatus(await asAdmin('DELETE', `/api/groups/${group.id}`), 200);
      await expectAccess(client, client.token, noAccess);
    });

    test('keeps the access granted by other groups', async () => {
      const [firstGroup, secondGroup, client] = [
        await newGroupWithAccess(),
        await newGroupWithAccess(),
        await fixtures.newClient(),
      ];
      for (const { id } of [firstGroup, secondGroup]) await asAdmin('POST', `/api/groups/${id}/members/${client.id}`);
      await asAdmin('DELETE', `/api/groups/${firstGroup.id}`);
      await expectAccess(client, client.token, fullAccess);
    });

    test('can be added together with others', async () => {
      const [group, ada, bob] = [await newGroup(), await fixtures.newClient(), await fixtures.newClient()];
      const profiles = [ada.id, bob.email.toUpperCase(), ada.email, unknownId];
      const reply = await asAdmin('POST', `/api/groups/${group.id}/members`, { profiles });
      expect([reply.status, reply.body.outcomes]).toEqual([
        200,
        [
          { profile: ada.id, profile_id: ada.id, outcome: 'added' },
          { profile: bob.email.toUpperCase(), profile_id: bob.id, outcome: 'added' },
          { profile: ada.email, profile_id: ada.id, outcome: 'already' },
          { profile: unknownId, profile_id: null, outcome: 'not_found' },
        ],
      ]);
      const groupNames = Array.from({ length: 10_000 }, (_, index) => `a${index}`);
      const { body } = expectStatus(
        await asAdmin('POST', `/api/groups/${group.id}/members`, { profiles: groupNames }),
        200,
      );
      expect(body.outcomes).toHaveLength(10_000);
      expect(
        outcomeOf(await asAdmin('POST', `/api/groups/${group.id}/members`, { profiles: [...groupNames, 'x'] })),
      ).toEqual([400, { detail: 'Invalid request body: profiles must have at most 10000 entries' }]);
      const emails = [ada, bob].map(({ email }) => email).sort();
      const replies = await pages(`/api/groups/${group.id}/members?limit=1`);
      expect(replies.flatMap(({ list }) => list.map(({ email }) => email))).toEqual(emails);
    });

    test('must be a profile', async () => {
      const { id } = await newGroup();
      for (const method of ['POST', 'DELETE']) {
        expectError(await asAdmin(method, `/api/groups/${id}/members/${unknownId}`), 404, 'User not found');
      }
      expect((await asAdmin('GET', `/api/profiles/${unknownId}/groups`)).body).toEqual({ detail: 'User not found' });
    });

    test('may be an admin, but grants do not apply to admins', async () => {
      const group = await newGroupWithAccess();
      expectStatus(await asAdmin('POST', `/api/groups/${group.id}/members/${fixtures.adminId}`), 201);
      const clients = await asAdmin('GET', `/api/access/collections/${collection}/clients`);
      expect(clients.list.map(({ client_id }) => client_id)).not.toContain(fixtures.adminId);
    });

    test('has the tier of its group', async () => {
      const [group, client] = [await newGroup(), await fixtures.newClient()];
      const tier = `crew-${groupCount}`;
      const json = { tier, allowed_limit: 1_234, window_seconds: 60 };
      expectStatus(await asAdmin('POST', '/api/rate-limits/tiers', json), 201);
      await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      expect((await asAdmin('PUT', `/api/groups/${group.id}/tier`, { tier })).body.tier).toBe(tier);
      const readPolicy = async () =>
        (await call('GET', '/api/profiles/me', { token: client.token })).headers['ratelimit-policy'];
      expect(await readPolicy()).toContain('1234');
      expect((await asAdmin('PUT', `/api/groups/${group.id}/tier`, { tier: null })).body.tier).toBeNull();
      expect(await readPolicy()).not.toContain('1234');
    });
  });

  describe('a grant of a group', () => {
    test('has an expiry that can be changed', async () => {
      const [group, client] = [await newGroup(), await fixtures.newClient()];
      await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      const grantPath = `/api/groups/${group.id}/collections/${collection}`;
      const expires_at = '2999-01-31T09:30:00.000Z';
      const grantFields = { group_id: group.id, collection_id: collection, granted_at: expect.any(String) as string };
      expect((await asAdmin('PUT', grantPath, { expires_at })).body).toEqual({ detail: 'Grant not found' });
      const grantReply = await asAdmin('POST', grantPath, { expires_at });
      expect([grantReply.status, grantReply.body]).toEqual([
        201,
        { message: 'Access granted', ...grantFields, expires_at },
      ]);
      expect((await asAdmin('POST', grantPath)).status).toBe(409);
      const changeReply = await asAdmin('PUT', grantPath, { expires_at: null });
      expect([changeReply.status, changeReply.body]).toEqual([
        200,
        { message: 'Access changed', ...grantFields, expires_at: null, operations: 'all', except: [], ask: [] },
      ]);
      expect(outcomeOf(await asAdmin('PUT', grantPath, { expires_at: '2020-01-31' }))).toEqual([
        400,
        {
          detail: expect.stringMatching(
            /^Invalid request body: expires_at must be in the future; it is now \d{4}-.*$/,
          ) as string,
        },
      ]);
      await expectAccess(client, client.token, fullAccess);
      expect((await asAdmin('GET', `/api/groups/${group.id}/collections`)).list).toEqual([
        { id: collection, name: 'Weather', granted_at: grantReply.body.granted_at, expires_at: null },
      ]);
    });

    test('requires an existing collection', async () => {
      const { id } = await newGroup();
      for (const [method, json] of [['POST'], ['PUT', { expires_at: null }], ['DELETE']] as const) {
        const reply = await asAdmin(method, `/api/groups/${id}/collections/${unknownId}`, json);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Collection not found' }]);
      }
    });
  });

  describe('a member by claim', () => {
    test('has the access of the group from the first token with its name until the first newer token without it', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      await expectAccess(client, client.token, noAccess);
      const [oldestToken, olderToken] = [await tokenOf(client, [], -50), await tokenOf(client, [group.name], -40)];
      const person = await fixtures.newClient();
      await signIn(await tokenOf(person, [group.name], -40));
      await expectAccess(person, await tokenOf(person, [group.name], -30), fullAccess);
      await expectAccess(person, await tokenOf(person, ['Another crew'], -20), noAccess);
      await expectAccess(person, await tokenOf(person, [group.name], -30), noAccess);
      // Tokens older than the one in the client's first request change nothing.
      for (const token of [oldestToken, olderToken]) await expectAccess(client, token, noAccess);
      await expectAccess(client, await tokenOf(client, [group.name]), fullAccess);
      await expectAccess(client, olderToken, fullAccess);
    });

    test('sees the time of its claim, as admins do in the list of members', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      const token = await signIn(await tokenOf(client, [group.name]));
      const member = { profile_id: client.id, email: client.email, full_name: `Person ${client.uid}` };
      const [claimedMember] = (await asAdmin('GET', `/api/groups/${group.id}/members`)).list;
      expect(claimedMember).toEqual({ ...member, added_at: null, claimed_at: expect.any(String) as string });
      await asAdmin('POST', `/api/groups/${group.id}/members/${client.id}`);
      const groupBody = (await asAdmin('GET', `/api/groups/${group.id}`)).body;
      expect(groupBody).toMatchObject({ member_count: 1, collection_count: 1 });
      expect(groupBody.members).toEqual([{ ...claimedMember, added_at: expect.any(String) as string }]);
      const { list } = await asAdmin('GET', `/api/profiles/${client.id}/groups`);
      expect(list).toEqual([
        {
          id: group.id,
          name: group.name,
          added_at: expect.any(String) as string,
          claimed_at: claimedMember?.claimed_at,
        },
      ]);
      const ownProfile = (await call('GET', '/api/profiles/me?include=groups,tier', { token })).body;
      expect([ownProfile.groups, ownProfile.tier]).toEqual([list, null]);
      expect((await call('GET', '/api/profiles/me', { token })).body).not.toHaveProperty('groups');
    });

    test('can only be removed by the identity provider', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      const memberPath = `/api/groups/${group.id}/members/${client.id}`;
      const token = await signIn(await tokenOf(client, [group.name]));
      expect(outcomeOf(await asAdmin('DELETE', memberPath))).toEqual([
        409,
        { detail: "The identity provider's claim puts the user into the group: remove it there" },
      ]);
      expectStatus(await asAdmin('POST', memberPath), 201);
      expect((await asAdmin('DELETE', memberPath)).body.message).toContain('still puts the user into it');
      await expectAccess(client, token, fullAccess);
    });

    test('loses access if the group is renamed, and gets the access of a new group with the old name', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      const token = await signIn(await tokenOf(client, [group.name]));
      await expectAccess(client, token, fullAccess);
      await asAdmin('PUT', `/api/groups/${group.id}`, { name: `${group.name} (renamed)` });
      await expectAccess(client, token, noAccess);
      const successor = await newGroup({ name: group.name });
      await asAdmin('POST', `/api/groups/${successor.id}/collections/${collection}`);
      await expectAccess(client, token, fullAccess);
    });

    test('has one audit entry for each change', async () => {
      const [group, client] = [await newGroupWithAccess(), await fixtures.newClient()];
      const token = await tokenOf(client, [group.name, 'no group of the catalog']);
      for (let count = 0; count < 3; count += 1) await signIn(token);
      await signIn(await tokenOf(client, []));
      const { body } = await asAdmin('GET', '/api/audit/?source=system&action=group.claim&limit=100');
      const data = body.data as readonly { readonly message: Readonly<Record<string, unknown>> }[];
      const messages = data.map(({ message }) => message).filter((message) => message['profile_id'] === client.id);
      expect(messages).toEqual([
        expect.objectContaining({ gained: [], lost: [group.name] }),
        expect.objectContaining({ profile: client.email, gained: [group.name], lost: [] }),
      ]);
    });
  });
};
