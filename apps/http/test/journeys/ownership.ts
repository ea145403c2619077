import { describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { outcomeOf } from '../reply.ts';
import { expectStatus, textOf, unknownId, type Client, type Start } from '../subject.ts';

const requests = '/api/access/requests';
const ownerRequired = [403, { detail: 'Admin or owner access required' }];

/** Tests the owners of collections, and the tags and policies of changes that they set. */
export const ownershipSuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  let groupCount = 0;
  const newGroup = async (...members: readonly Client[]): Promise<{ readonly id: string; readonly name: string }> => {
    const name = `Owners ${++groupCount}`;
    const id = textOf(expectStatus(await asAdmin('POST', '/api/groups', { name }), 201).body.id);
    for (const member of members) expectStatus(await asAdmin('POST', `/api/groups/${id}/members/${member.id}`), 201);
    return { id, name };
  };
  const pathOf = (id: string, part: string) => `/api/collections/${id}/${part}`;
  const setOwner = (id: string, group: string | null) => asAdmin('PUT', pathOf(id, 'owner'), { group });
  /** Creates a collection in the catalog with an owner, who has no access to it. */
  const createOwned = async (fields: object = {}) => {
    const owner = await fixtures.newClient();
    const [id, group] = [await fixtures.newCollection({ discoverable: true, ...fields }), await newGroup(owner)];
    expectStatus(await setOwner(id, group.id), 200);
    return { id, group, owner };
  };
  const ask = async ({ key }: Client, collection_id: string): Promise<string> =>
    textOf(expectStatus(await call('POST', requests, { key, json: { collection_id, reason: 'To row' } }), 201).body.id);
  const decide = ({ token }: Client, id: string, decision = 'approve') =>
    call('POST', `${requests}/${id}/${decision}`, { token });
  const listRequests = async ({ token }: Client, query = '') =>
    (await call('GET', `${requests}${query}`, { token })).list.map(({ id }) => id);
  const readEntries = async (id: string) =>
    ((await asAdmin('GET', `/api/audit/?source=system&collection_id=${id}`)).body.data as { message: object }[]).map(
      ({ message }) => message,
    );

  describe('the owner of a collection', () => {
    test('is a group, set by id or name and removed with null, audited, and shown to those with access', async () => {
      const [id, group, client] = [await fixtures.newCollection(), await newGroup(), await fixtures.newClient()];
      await fixtures.grant(client, id);
      expect((await call('GET', pathOf(id, 'owner'), { key: client.key })).body).toEqual({ group: null });
      for (const reference of [group.id, group.name])
        expect((await setOwner(id, reference)).body).toEqual({ group: { id: group.id, name: group.name } });
      expect((await call('GET', pathOf(id, 'owner'), { key: client.key })).body).toMatchObject({ group });
      expect((await setOwner(id, null)).body).toEqual({ group: null });
      expect((await readEntries(id)).slice(0, 2)).toMatchObject([
        { action: 'collection.owner', collection_id: id, group: null },
        { action: 'collection.owner', collection_id: id, group_id: group.id, group: group.name },
      ]);
      expect(outcomeOf(await setOwner(id, 'No such group'))).toEqual([404, { detail: 'Group not found' }]);
      expect(outcomeOf(await setOwner(id, unknownId))).toEqual([404, { detail: 'Group not found' }]);
      expect(outcomeOf(await setOwner(unknownId, null))).toEqual([404, { detail: 'Collection not found' }]);
      const other = await fixtures.newClient();
      expect((await call('GET', pathOf(id, 'owner'), { key: other.key })).status).toBe(403);
    });

    test('is none after its group is deleted', async () => {
      const { id, group, owner } = await createOwned();
      expectStatus(await asAdmin('DELETE', `/api/groups/${group.id}`), 200);
      expect((await asAdmin('GET', pathOf(id, 'owner'))).body).toEqual({ group: null });
      const json = { tags: ['a'] };
      expect(outcomeOf(await call('PUT', pathOf(id, 'tags'), { token: owner.token, json }))).toEqual(ownerRequired);
    });
  });

  describe('owners', () => {
    const edits = [
      ['PUT', 'lifecycle', { state: 'deprecated' }],
      ['PUT', 'tags', { tags: ['mine'] }],
      ['PUT', 'change-policy', { levels: { a: 'info' }, expected: [] }],
      ['GET', 'change-policy', undefined],
    ] as const;
    const outcomesOf = async ({ token }: Pick<Client, 'token'>, id: string) => {
      const outcomes: unknown[] = [];
      for (const [method, part, json] of edits) {
        const reply = await call(method, pathOf(id, part), { token, ...(json ? { json } : {}) });
        outcomes.push(reply.status === 200 ? 200 : outcomeOf(reply));
      }
      return outcomes;
    };
    const allowed = edits.map(() => 200);
    const denied = edits.map(() => ownerRequired);

    test('set the lifecycle, tags and change policy of their collection, under their own names, and of no other', async () => {
      const { id, owner } = await createOwned();
      const other = await createOwned();
      expect(await outcomesOf(owner, id)).toEqual(allowed);
      expect(await outcomesOf(owner, other.id)).toEqual(denied);
      expect(await outcomesOf(owner, unknownId)).toEqual(denied);
      expect(await outcomesOf(await fixtures.newClient(), id)).toEqual(denied);
      const changes = (await readEntries(id)).slice(0, 3);
      expect(changes).toMatchObject(
        ['change_policy', 'tags', 'lifecycle'].map((part) => ({ action: `collection.${part}`, actor: owner.email })),
      );
    });

    test('may neither read nor change anything else, and may not use their API key', async () => {
      const { id, owner, group } = await createOwned();
      const { token, key } = owner;
      expect((await call('GET', `/api/collections/${id}`, { token })).status).toBe(403);
      expect((await call('PUT', `/api/collections/${id}`, { token, json: { name: 'Mine' } })).status).toBe(403);
      expect((await call('PUT', pathOf(id, 'owner'), { token, json: { group: group.id } })).status).toBe(403);
      expect((await call('PUT', pathOf(id, 'delivery'), { token, json: {} })).status).toBe(403);
      expect((await call('DELETE', `/api/collections/${id}`, { token })).status).toBe(403);
      expect((await call('PUT', pathOf(id, 'tags'), { key, json: { tags: [] } })).status).toBe(401);
    });

    test('lose their rights as of the next request: with the membership, a suspension, or another owner', async () => {
      const { id, group, owner } = await createOwned();
      expect(await outcomesOf(owner, id)).toEqual(allowed);
      expectStatus(await asAdmin('DELETE', `/api/groups/${group.id}/members/${owner.id}`), 200);
      expect(await outcomesOf(owner, id)).toEqual(denied);
      expectStatus(await asAdmin('POST', `/api/groups/${group.id}/members/${owner.id}`), 201);
      expect(await outcomesOf(owner, id)).toEqual(allowed);
      expectStatus(await asAdmin('POST', `/api/profiles/${owner.id}/suspend`), 200);
      expect((await call('PUT', pathOf(id, 'tags'), { token: owner.token, json: { tags: [] } })).status).toBe(401);
      expectStatus(await asAdmin('POST', `/api/profiles/${owner.id}/resume`), 200);
      expect(await outcomesOf(owner, id)).toEqual(allowed);
      expectStatus(await setOwner(id, (await newGroup()).id), 200);
      expect(await outcomesOf(owner, id)).toEqual(denied);
    });

    test('that are not approved have no rights', async () => {
      const [id, pending] = [await fixtures.newCollection(), await fixtures.register()];
      const { id: group } = await newGroup();
      expectStatus(await asAdmin('POST', `/api/groups/${group}/members/${pending.id}`), 201);
      expectStatus(await setOwner(id, group), 200);
      expect(await outcomesOf(pending, id)).toEqual(denied);
      const { token } = pending;
      expect(outcomeOf(await call('POST', `${requests}/${unknownId}/approve`, { token }))).toEqual(ownerRequired);
    });
  });

  describe('requests for access', () => {
    test('are listed for and decided by owners of the collection, and by no other owners', async () => {
      const [{ id, owner }, other] = [await createOwned(), await createOwned()];
      const [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
      const [adas, bobs, others] = [await ask(ada, id), await ask(bob, id), await ask(ada, other.id)];
      expect((await listRequests(owner)).sort()).toEqual([adas, bobs].sort());
      expect(await listRequests(owner, `?profile_id=${ada.id}`)).toEqual([adas]);
      expect(await listRequests(owner, `?collection_id=${other.id}`)).toEqual([]);
      expect(await listRequests(other.owner)).toEqual([others]);
      const read = (by: Client, request: string) => call('GET', `${requests}/${request}`, { token: by.token });
      expect((await read(owner, adas)).body).toMatchObject({ profile_email: ada.email, collection_id: id });
      expect((await read(owner, others)).status).toBe(404);
      expect(outcomeOf(await decide(other.owner, adas))).toEqual([404, { detail: 'Request not found' }]);
      expect(outcomeOf(await decide(other.owner, adas, 'deny'))).toEqual([404, { detail: 'Request not found' }]);
      expect(outcomeOf(await decide(bob, adas))).toEqual(ownerRequired);
      expect((await decide(owner, adas)).body).toMatchObject({ status: 'approved', collection_id: id });
      expect((await decide(owner, bobs, 'deny')).body).toMatchObject({ status: 'denied' });
      expect(outcomeOf(await decide(owner, bobs))).toEqual([409, { detail: 'Request already decided: denied' }]);
      expect((await call('GET', `/api/collections/${id}`, { key: ada.key })).status).toBe(200);
      expect((await call('GET', `/api/collections/${id}`, { key: bob.key })).status).toBe(403);
      expect((await readEntries(id)).slice(0, 2)).toMatchObject([
        { action: 'access.request.deny', actor: owner.email, profile: bob.email },
        { action: 'access.request.approve', actor: owner.email, profile: ada.email },
      ]);
    });

    test('of an owner are decided by another one', async () => {
      const { id, group, owner } = await createOwned();
      const request = await ask(owner, id);
      expect(outcomeOf(await decide(owner, request))).toEqual([
        403,
        { detail: 'Admin or owner access required: another owner or an administrator decides your own request' },
      ]);
      const second = await fixtures.newClient();
      expectStatus(await asAdmin('POST', `/api/groups/${group.id}/members/${second.id}`), 201);
      expectStatus(await decide(second, request), 200);
      expect((await call('GET', `/api/collections/${id}`, { key: owner.key })).status).toBe(200);
    });

    test('cannot be decided by a former owner', async () => {
      const { id, group, owner } = await createOwned();
      const still = await createOwned();
      expectStatus(await asAdmin('POST', `/api/groups/${still.group.id}/members/${owner.id}`), 201);
      const request = await ask(await fixtures.newClient(), id);
      expectStatus(await asAdmin('DELETE', `/api/groups/${group.id}/members/${owner.id}`), 200);
      expect(outcomeOf(await decide(owner, request))).toEqual([404, { detail: 'Request not found' }]);
    });
  });

  describe('tags', () => {
    const setTags = (id: string, tags: readonly string[]) => asAdmin('PUT', pathOf(id, 'tags'), { tags });

    test('are kept in their order, shown on request, and up to their limits', async () => {
      const [id, client] = [await fixtures.newCollection(), await fixtures.newClient()];
      await fixtures.grant(client, id);
      const most = Array.from({ length: 20 }, (_, index) => `${'😀'.repeat(48)}${10 + index}`);
      for (const tags of [['b', ' a ', 'Ä'], most, []]) {
        const expected = tags.map((tag) => tag.trim());
        expect((await setTags(id, tags)).body).toEqual({ tags: expected });
        const { key } = client;
        expect((await call('GET', `/api/collections/${id}/summary`, { key })).body.tags).toEqual(expected);
        expect((await call('GET', `/api/collections/${id}?include=tags`, { key })).body.tags).toEqual(expected);
      }
      for (const tags of [[...most, 'one more'], ['x'.repeat(51)], ['ä', 'Ä'], ['a\tb']])
        expect((await setTags(id, tags)).status).toBe(400);
      expect((await readEntries(id))[0]).toMatchObject({ action: 'collection.tags', tags: [] });
    });

    test('and policies of unknown collections are a 404', async () => {
      const policy = { levels: {}, expected: [] };
      for (const [part, json] of [
        ['tags', { tags: [] }],
        ['change-policy', policy],
      ] as const)
        expect(outcomeOf(await asAdmin('PUT', pathOf(unknownId, part), json))).toEqual([
          404,
          { detail: 'Collection not found' },
        ]);
    });

    test('filter the list of collections, ignoring case, with its pages and totals', async () => {
      const client = await fixtures.newClient();
      const ids: string[] = [];
      for (const [name, tags] of [
        ['a', ['Boats', 'x']],
        ['b', ['boats']],
        ['c', ['boat']],
        ['d', []],
      ] as const) {
        const id = await fixtures.newCollection({ name });
        await fixtures.grant(client, id);
        expectStatus(await setTags(id, tags), 200);
        ids.push(id);
      }
      const list = (query: string) => call('GET', `/api/collections/${query}`, { token: client.token });
      expect((await list('?tag=BOATS')).list.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect((await list('?tag=oat')).list).toEqual([]);
      expect((await list('?tag=boats&q=B')).list.map(({ id }) => id)).toEqual([ids[1]]);
      const page = await list('?tag=boats&limit=1&include=tags&include_total=true');
      expect(page.list).toMatchObject([{ id: ids[0], tags: ['Boats', 'x'] }]);
      expect(page.headers['x-total-count']).toBe('2');
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.link ?? '')?.[1] ?? '';
      expect((await call('GET', next, { token: client.token })).list.map(({ id }) => id)).toEqual([ids[1]]);
      for (const query of [`?tag=${'x'.repeat(51)}`, '?tag=a&tag=b', '?tag=%00'])
        expect((await list(query)).status, query).toBe(400);
      expectStatus(await setTags(ids[0] ?? '', []), 200);
      expect((await list('?tag=boats')).list.map(({ id }) => id)).toEqual([ids[1]]);
    });
  });

  describe('the policy of changes', () => {
    const put = (id: string, json: object) => asAdmin('PUT', pathOf(id, 'change-policy'), json);
    const dayMs = 86_400_000;
    const afterMs = (ms: number) => new Date((subject.clock?.now() ?? Date.now()) + ms).toISOString();
    const expectation = { rule: 'api-removed', reason: 'Agreed with all callers', until: '2001-01-01T00:00:00.000Z' };

    test('is stored and returned up to its limits, and audited', async () => {
      const id = await fixtures.newCollection();
      expect((await asAdmin('GET', pathOf(id, 'change-policy'))).body).toEqual({ levels: {}, expected: [] });
      const change = { ...expectation, operation_key: 'aaaaaaaaaaaaaaaa', fingerprint: '0123456789ab' };
      const most = {
        levels: Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [`${'r'.repeat(97)}${index + 100}`, 'info']),
        ),
        expected: Array.from({ length: 200 }, () => ({ ...change, reason: '愛'.repeat(500) })),
      };
      for (const policy of [{ levels: { constructor: 'ignore' }, expected: [change] }, most]) {
        expect((await put(id, policy)).body).toEqual(policy);
        expect((await asAdmin('GET', pathOf(id, 'change-policy'))).body).toEqual(policy);
      }
      expect((await put(id, { levels: {}, expected: [expectation] })).body).toEqual({
        levels: {},
        expected: [{ ...expectation, operation_key: null, fingerprint: null }],
      });
      const { rule, reason } = expectation;
      expect((await readEntries(id))[0]).toMatchObject({
        ...{ action: 'collection.change_policy', levels: {}, expected: [{ rule, reason }] },
      });
    });

    test('may expect a change for at most 400 days', async () => {
      const id = await fixtures.newCollection();
      const until = (ms: number) =>
        put(id, { levels: {}, expected: [{ ...expectation, until: afterMs(400 * dayMs + ms) }] });
      expect((await until(0)).status).toBe(200);
      expect(outcomeOf(await until(subject.clock ? 1 : 600_000))).toEqual([
        400,
        { detail: 'Invalid request body: expected[0].until must be at most 400 days from now' },
      ]);
    });
  });
};
