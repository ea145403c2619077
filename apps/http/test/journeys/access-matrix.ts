import { toGroupPair, type CollectionId, type GroupId, type Ports, type ProfileId } from '@portico/domain';
import { beforeAll, expect, test } from 'vitest';
import { errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { unknownId, type Client, type Start } from '../subject.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tests reading the access matrix: which client has access to which collection, how, and until when. */
export const accessMatrixSuite = (start: Start): void => {
  let ports: Ports;
  const { subject, fixtures, call, pages } = provideSubject(start, { ports: (original) => ((ports = original), {}) });
  let ada: Client;
  let bob: Client;
  let maps: string;
  let atlas: string;
  const readMatrix = (query = '', headers: readonly string[] = []) =>
    call('GET', `/api/access/matrix${query}`, { token: fixtures.admin, headers });
  const linesOf = (rows: readonly Row[]) => rows.map(({ email, collection_name }) => [email, collection_name]);
  const readLines = async (query = '') => linesOf((await readMatrix(query)).list);

  beforeAll(async () => {
    [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
    [maps, atlas] = [await fixtures.newCollection({ name: 'maps' }), await fixtures.newCollection({ name: '=Atlas' })];
    await fixtures.newCollection({ name: 'Granted to nobody' });
    for (const collection of [maps, atlas]) await fixtures.grant(ada, collection);
    const json = { profiles: [bob.email], collections: [maps], expires_at: '2999-12-31' };
    await call('POST', '/api/access/grants', { token: fixtures.admin, json });
  });

  test('each row has the client, the collection, the kind of grant and its expiry, sorted by client and collection', async () => {
    const { list } = await readMatrix();
    expect(linesOf(list)).toEqual([
      [ada.email, '=Atlas'],
      [ada.email, 'maps'],
      [bob.email, 'maps'],
    ]);
    expect(list[2]).toEqual({
      client_id: bob.id,
      email: bob.email,
      full_name: `Person ${bob.uid}`,
      company_name: null,
      registration_status: 'approved',
      suspended_at: null,
      collection_id: maps,
      collection_name: 'maps',
      via: 'direct',
      group_id: null,
      group_name: null,
      granted_at: expect.stringMatching(/Z$/) as string,
      expires_at: '3000-01-01T00:00:00.000Z',
    });
  });

  test('filters are combined; if nothing matches, the list is empty; an unknown name is a 404', async () => {
    expect(await readLines(`?profile=${ada.id}`)).toHaveLength(2);
    expect(await readLines(`?profile=${bob.email.toUpperCase()}`)).toEqual([[bob.email, 'maps']]);
    expect(await readLines(`?collection=${maps}`)).toHaveLength(2);
    expect(await readLines(`?collection=maps&profile=${ada.email}`)).toEqual([[ada.email, 'maps']]);
    expect(await readLines('?expiring_before=3000-01-01')).toEqual([]);
    expect(await readLines('?expiring_before=3000-01-02')).toEqual([[bob.email, 'maps']]);
    expect(await readLines('?collection=Granted%20to%20nobody')).toEqual([]);
    expect(await readLines(`?profile=${unknownId}`)).toEqual([]);
    for (const headers of [[], ['Accept', 'text/csv']]) {
      const errorFor = async (query: string) => errorOf(await readMatrix(query, headers));
      expect(await errorFor('?profile=nobody@example.com')).toEqual([404, 'User not found']);
      expect(await errorFor('?group=nobody')).toEqual([404, 'Group not found']);
      expect(await errorFor('?collection=nothing')).toEqual([404, 'Collection not found']);
    }
  });

  test('is returned in pages of 1 to 1,000 rows, each row once', async () => {
    const replies = await pages('/api/access/matrix?limit=1&collection=maps');
    expect(replies.map(({ list }) => linesOf(list))).toEqual([[[ada.email, 'maps']], [[bob.email, 'maps']]]);
    for (const limit of [0, 1_001]) expect((await readMatrix(`?limit=${limit}`)).status).toBe(400);
    expect((await readMatrix('?limit=1000')).status).toBe(200);
  });

  test('is also available as CSV, in full or page by page', async () => {
    const csv = ['Accept', 'text/csv'];
    const { text, headers } = await readMatrix('', csv);
    const rows = text.trimEnd().split('\r\n');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(rows[0]).toMatch(/^client_id,email,full_name,.*,granted_at,expires_at,last_day,operations,except,ask$/);
    expect(rows).toHaveLength(4);
    // A row with an expiry also has the selected last day.
    expect(rows.filter((row) => row.includes(',3000-01-01T00:00:00.000Z,2999-12-31,'))).toHaveLength(1);
    expect(rows.filter((row) => row.endsWith(',,,,,'))).toHaveLength(2);
    expect(rows[1]).toContain(`,'=Atlas,direct,`);
    const page = await readMatrix('?limit=2', csv);
    expect(page.text.trimEnd().split('\r\n')).toEqual(rows.slice(0, 3));
    expect(page.headers.link).toMatch(/cursor=/);
  });

  test('shows the group if access is through a group', async () => {
    const group = await addGroup(ports, 'Cartographers', ada.id, maps);
    const fullMatrix = await readMatrix('?group=Cartographers');
    expect(fullMatrix.list).toMatchObject([
      { email: ada.email, via: 'group', group_id: group, group_name: 'Cartographers' },
    ]);
    const ways = [
      { kind: 'direct', group_id: null, group_name: null, expires_at: null },
      { kind: 'group', group_id: group, group_name: 'Cartographers', expires_at: null },
    ];
    const path = `/api/access/clients/${ada.id}/collections?granted=true`;
    const grantedClients = (await call('GET', path, { token: fixtures.admin })).list;
    expect(grantedClients.map(({ name, has_access }) => [name, has_access])).toEqual([
      ['=Atlas', true],
      ['maps', true],
    ]);
    expect(grantedClients[1]).toMatchObject({ via: ways, expires_at: null });
    const clientsPath = `/api/access/collections/${maps}/clients`;
    const clients = (await call('GET', `${clientsPath}?include=ways`, { token: fixtures.admin })).list;
    expect(clients).toMatchObject([
      { email: ada.email, via: ways },
      { email: bob.email, via: [{ kind: 'direct' }], expires_at: '3000-01-01T00:00:00.000Z' },
    ]);
    expect((await call('GET', clientsPath, { token: fixtures.admin })).list[0]).not.toHaveProperty('via');
  });

  test('shows suspended clients, and omits admins', async () => {
    const [suspendedClient, promotedClient] = [await fixtures.newClient(), await fixtures.newClient()];
    for (const client of [suspendedClient, promotedClient]) await fixtures.grant(client, atlas);
    await call('POST', `/api/profiles/${suspendedClient.id}/suspend`, { token: fixtures.admin });
    await call('PUT', `/api/profiles/${promotedClient.id}/role`, { token: fixtures.admin, json: { role: 'admin' } });
    const { list } = await readMatrix(`?collection=${atlas}`);
    expect(list.map(({ email, suspended_at }) => [email, suspended_at === null])).toEqual([
      [ada.email, true],
      [suspendedClient.email, false],
    ]);
  });

  test('omits expired grants unless they are requested', async () => {
    const { clock } = subject;
    if (!clock) return;
    const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection({ name: 'Short' })];
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    const json = { profiles: [client.id], collections: [collection], expires_at };
    await call('POST', '/api/access/grants', { token: fixtures.admin, json });
    expect(await readLines('?collection=Short')).toHaveLength(1);
    clock.advance(1_000);
    expect(await readLines('?collection=Short')).toEqual([]);
    expect(await readLines('?collection=Short&include_expired=true')).toHaveLength(1);
  });
};

/** Adds a group with one member and one collection; returns its id. */
const addGroup = async ({ groups, grants }: Ports, name: string, member: string, collection: string) => {
  const [id, createdAt] = ['22222222-2222-4222-8222-222222222222' as GroupId, Date.UTC(2026, 0, 1)];
  const effects = { deadline: null };
  await groups.add({ id, name, description: '', tier: null, createdAt, updatedAt: createdAt }, effects);
  const profile = member as ProfileId;
  const add = [{ id: profile, addedAt: createdAt }];
  await groups.updateMembers(id, [profile], createdAt, () => ({ add, ...effects }));
  const pair = toGroupPair(id, collection as CollectionId);
  await grants.update([pair], () => ({
    put: [{ ...pair, grantedAt: createdAt, expiresAt: null, rule: null }],
    ...effects,
  }));
  return id;
};
