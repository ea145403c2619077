import { beforeAll, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Client, type Start } from '../subject.ts';

type Outcome = Readonly<Record<string, unknown>>;

/** Tests granting, revoking and approving in bulk. */
export const bulkOperationsSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  let ada: Client;
  let bob: Client;
  const sendGrants = (method: 'POST' | 'DELETE', json: unknown) =>
    call(method, '/api/access/grants', { token: fixtures.admin, json });
  const outcomesOf = (body: Outcome) =>
    (body.outcomes as readonly Outcome[]).map(({ outcome, email, collection_id }) => [outcome, email, collection_id]);
  const readStatus = async ({ key }: Client, collection: string) =>
    (await call('GET', `/api/collections/${collection}`, { key })).status;
  const readEntries = async (action: string) => {
    const path = `/api/audit/?source=system&action=${action}&pageSize=100`;
    return (await call('GET', path, { token: fixtures.admin })).body.data as readonly { message: Outcome }[];
  };

  beforeAll(async () => {
    [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
  });

  test('each profile gets each collection, by id, email address or name, with an outcome for each pair', async () => {
    const weather = await fixtures.newCollection({ name: 'Weather of all' });
    const roads = await fixtures.newCollection({ name: 'Roads of all' });
    await fixtures.grant(ada, weather);
    const { status, body } = await sendGrants('POST', {
      profiles: [ada.id.toUpperCase(), bob.email.toUpperCase()],
      collections: [weather, 'Roads of all'],
    });
    expect([status, body.granted, body.already]).toEqual([200, 3, 1]);
    expect(outcomesOf(body)).toEqual([
      ['already', ada.email, weather],
      ['granted', ada.email, roads],
      ['granted', bob.email, weather],
      ['granted', bob.email, roads],
    ]);
    expect((body.outcomes as readonly Outcome[])[3]).toEqual({
      outcome: 'granted',
      profile_id: bob.id,
      email: bob.email,
      collection_id: roads,
      collection_name: 'Roads of all',
      expires_at: null,
    });
    for (const client of [ada, bob])
      for (const collection of [weather, roads]) expect(await readStatus(client, collection)).toBe(200);
  });

  test('missing profiles, groups and collections have outcomes and do not affect other pairs', async () => {
    const realCollection = await fixtures.newCollection({ name: 'Real' });
    const { body } = await sendGrants('POST', {
      profiles: [ada.email, 'nobody@example.com', unknownId, fixtures.adminId],
      groups: ['No such group', unknownId],
      collections: [realCollection, 'Unreal', unknownId],
    });
    expect([body.granted, body.not_found]).toEqual([1, 17]);
    const outcomes = body.outcomes as readonly Outcome[];
    expect(outcomes.map(({ reason }) => reason)).toEqual([
      ...[undefined, 'Collection not found', 'Collection not found'],
      ...Array<string>(9).fill('Client not found'),
      ...Array<string>(6).fill('Group not found'),
    ]);
    expect(outcomes[3]).toMatchObject({ profile_id: null, email: 'nobody@example.com', collection_name: 'Real' });
  });

  test('a name that several collections share is ambiguous, and the reason lists their ids', async () => {
    const namesakes = [await fixtures.newCollection({ name: 'Twin' }), await fixtures.newCollection({ name: 'Twin' })];
    const { body } = await sendGrants('POST', { profiles: [ada.id], collections: ['Twin'] });
    expect(body.ambiguous).toBe(1);
    const [outcome] = body.outcomes as readonly Outcome[];
    expect(outcome).toMatchObject({ outcome: 'ambiguous', collection_id: null, collection_name: 'Twin' });
    for (const id of namesakes) expect(outcome?.reason).toContain(id);
    for (const id of namesakes) expect(await readStatus(ada, id)).toBe(403);
  });

  test('duplicate references make one pair', async () => {
    const collection = await fixtures.newCollection({ name: 'Named twice' });
    const { body } = await sendGrants('POST', {
      profiles: [ada.id, ada.email, ada.id],
      collections: ['Named twice', collection],
    });
    expect(outcomesOf(body)).toEqual([['granted', ada.email, collection]]);
  });

  test('an expiry is set for new grants and changed for existing grants; if it is absent, existing grants are not changed', async () => {
    const collection = await fixtures.newCollection();
    const pairs = { profiles: [ada.id, bob.id], collections: [collection] };
    await fixtures.grant(ada, collection);
    const firstReply = (await sendGrants('POST', { ...pairs, expires_at: '2999-12-31T23:59:59Z' })).body;
    expect(outcomesOf(firstReply)).toEqual([
      ['changed', ada.email, collection],
      ['granted', bob.email, collection],
    ]);
    const grantAndListExpiries = async (fields: object) => {
      const { body } = await sendGrants('POST', { ...pairs, ...fields });
      return (body.outcomes as readonly Outcome[]).map(({ outcome, expires_at }) => [outcome, expires_at]);
    };
    const previousExpiry = '2999-12-31T23:59:59.000Z';
    expect(await grantAndListExpiries({})).toEqual([
      ['already', previousExpiry],
      ['already', previousExpiry],
    ]);
    expect(await grantAndListExpiries({ expires_at: null })).toEqual([
      ['changed', null],
      ['changed', null],
    ]);
    expect(await grantAndListExpiries({ expires_at: null })).toEqual([
      ['already', null],
      ['already', null],
    ]);
  });

  test('only changed pairs have audit entries', async () => {
    const collection = await fixtures.newCollection({ name: 'Audited' });
    await fixtures.grant(ada, collection);
    await sendGrants('POST', { profiles: [ada.id, bob.id, 'nobody@example.com'], collections: [collection] });
    await sendGrants('POST', { profiles: [ada.id], collections: [collection], expires_at: '2999-01-01' });
    await sendGrants('DELETE', { profiles: [ada.id, bob.id, 'nobody@example.com'], collections: [collection] });
    const profilesIn = async (action: string) =>
      (await readEntries(action))
        .filter(({ message }) => message.collection === 'Audited')
        .map(({ message }) => message.profile)
        .sort();
    expect(await profilesIn('access.grant')).toEqual([ada.email, bob.email].sort());
    expect(await profilesIn('access.expiry')).toEqual([ada.email]);
    expect(await profilesIn('access.revoke')).toEqual([ada.email, bob.email].sort());
  });

  test('revoked pairs lose access as of the next request; pairs without a grant are reported', async () => {
    const collection = await fixtures.newCollection();
    await fixtures.grant(ada, collection);
    expect(await readStatus(ada, collection)).toBe(200);
    const { status, body } = await sendGrants('DELETE', {
      profiles: [ada.email, bob.email],
      collections: [collection],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ revoked: 1, not_granted: 1, not_found: 0, ambiguous: 0 });
    expect(await readStatus(ada, collection)).toBe(403);
  });

  test('10,000 pairs are accepted; 10,001 are rejected with the number of pairs', async () => {
    const createNames = (count: number) => Array.from({ length: count }, (_, index) => `n${index}@x.yz`);
    for (const method of ['POST', 'DELETE'] as const) {
      const acceptedReply = await sendGrants(method, { profiles: createNames(100), collections: createNames(100) });
      expect([acceptedReply.status, acceptedReply.body.not_found]).toEqual([200, 10_000]);
      const rejection = await sendGrants(method, {
        profiles: createNames(5_001),
        groups: createNames(5_000),
        collections: ['one'],
      });
      const detail = 'Invalid request body: the lists make 10,001 pairs, at most 10,000 are allowed per request';
      expect([rejection.status, rejection.body]).toEqual([400, { detail }]);
    }
  });

  test('a bulk approval returns a working key and an outcome for each profile', async () => {
    const pendingPeople = [await fixtures.register(), await fixtures.register()];
    const rejectedPerson = await fixtures.register();
    await call('POST', `/api/profiles/${rejectedPerson.id}/reject`, { token: fixtures.admin });
    const references = [
      pendingPeople[0]?.id,
      pendingPeople[1]?.email.toUpperCase(),
      ada.id,
      rejectedPerson.id,
      'nobody@example.com',
      pendingPeople[0]?.email,
    ];
    const reply = await call('POST', '/api/profiles/approve', {
      token: fixtures.admin,
      json: { profiles: references },
    });
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(reply.body).toMatchObject({
      approved: 2,
      already_approved: 1,
      already_rejected: 1,
      not_found: 1,
      failed: 0,
    });
    const outcomes = reply.body.outcomes as readonly Outcome[];
    expect(outcomes.map(({ outcome, profile_id }) => [outcome, profile_id])).toEqual([
      ['approved', pendingPeople[0]?.id],
      ['approved', pendingPeople[1]?.id],
      ['already_approved', ada.id],
      ['already_rejected', rejectedPerson.id],
      ['not_found', null],
    ]);
    for (const { client_id, client_secret } of outcomes.slice(0, 2)) {
      const key = { clientId: textOf(client_id), secret: textOf(client_secret) };
      expect((await call('GET', '/api/rate-limits/tiers/active/all', { key })).status).toBe(200);
    }
  });

  test('50 approvals are accepted; 51 are rejected with the number of approvals', async () => {
    const approve = (count: number) =>
      call('POST', '/api/profiles/approve', {
        token: fixtures.admin,
        json: { profiles: Array.from({ length: count }, (_, index) => `n${index}@x.yz`) },
      });
    expect((await approve(50)).body.not_found).toBe(50);
    const rejection = await approve(51);
    const detail = 'Invalid request body: profiles names 51, at most 50 can be approved per request';
    expect([rejection.status, rejection.body]).toEqual([400, { detail }]);
  });

  test('profiles are filtered by status, by suspension, and by a part of the email address or name', async () => {
    const person = await fixtures.register({ full_name: 'Zoë Ångström' });
    const listIds = async (query: string) =>
      (await call('GET', `/api/profiles/?${query}`, { token: fixtures.admin })).list.map(({ id }) => id);
    expect(await listIds('registration_status=pending')).toContain(person.id);
    expect(await listIds('registration_status=approved')).not.toContain(person.id);
    for (const q of ['zoë å', 'ZOË', person.email.toUpperCase()])
      expect(await listIds(`q=${encodeURIComponent(q)}&unknown=ignored`)).toEqual([person.id]);
    expect(await listIds('suspended=true')).toEqual([]);
    expect(await listIds(`suspended=false&q=${encodeURIComponent('zoë')}`)).toEqual([person.id]);
  });
};
