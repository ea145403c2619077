import {
  type CallFilter,
  type CollectionId,
  type OperationKey,
  operatorAuthority,
  personAuthorityOf,
  resetSecrets,
  toClientPair,
  type CollectionHead,
  type Principal,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness, type Harness } from './harness.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const key = 'aaaaaaaaaaaaaaaa' as OperationKey;
const otherKey = 'bbbbbbbbbbbbbbbb' as OperationKey;
const operation = { key, method: 'DELETE', path: '/stations/{id}' };
const argumentsText = '{"id":"secret-station","depth":1.0}';
const noFilter: CallFilter = { status: null, profileId: null, collectionId: null };
const firstPage = { limit: 99, after: null };

const setUp = async (harness: Harness = createHarness()) => {
  const fixtures = await createFixtures(harness);
  const { useCases } = harness;
  const [ada, bob] = [await fixtures.approveClient('ada'), await fixtures.approveClient('bob')];
  const [roads, bridges] = [await fixtures.createCollection('Roads'), await fixtures.createCollection('Bridges')];
  for (const { id } of [ada, bob])
    for (const collection of [roads, bridges])
      await useCases.grantAccess(fixtures.authority, toClientPair(id, collection));
  const principalOf = async (client: typeof ada, collection: CollectionId = roads) =>
    await fixtures.admitByKey(client.key, collection);
  const hold = async (client = ada, text = argumentsText, collection = roads) =>
    useCases.holdCall(await principalOf(client, collection), operation, text, null);
  const redeem = async (
    id: Awaited<ReturnType<typeof hold>>['id'],
    { client = ada, text = argumentsText, collection = roads, operationKey = key } = {},
  ) => useCases.redeemCall(await principalOf(client, collection), operationKey, text, id);
  const admin = await fixtures.admitByToken('root');
  const person = personAuthorityOf(admin);
  const sealedOf = async (id: Awaited<ReturnType<typeof hold>>['id']) => (await harness.ports.calls.find(id))?.sealed;
  return {
    ...harness,
    ...fixtures,
    ada,
    bob,
    roads,
    bridges,
    principalOf,
    hold,
    redeem,
    person,
    principal: admin,
    sealedOf,
  };
};

test('a held call waits for an hour, and the same call is held only once', async () => {
  const { clock, hold, ada, bob, bridges, useCases, principalOf } = await setUp();
  const call = await hold();
  expect(call).toEqual({
    id: call.id,
    profileId: ada.id,
    collectionId: call.collectionId,
    operationKey: key,
    method: 'DELETE',
    path: '/stations/{id}',
    status: 'waiting',
    requestedAt: clock.now(),
    expiresAt: clock.now() + hourMs,
    decidedAt: null,
    decidedBy: null,
    reason: null,
  });
  clock.advance(hourMs - 1);
  expect(await hold(ada, '{ "depth": 1.0, "id": "secret-station" }')).toEqual(call);
  expect(await useCases.holdCall(await principalOf(ada), operation, argumentsText, 'another key')).toEqual(call);
  const others = [
    await hold(ada, '{"id":"secret-station","depth":1}'),
    await hold(ada, argumentsText, bridges),
    await hold(bob),
    await useCases.holdCall(await principalOf(ada), { ...operation, key: otherKey }, argumentsText, null),
  ];
  expect(new Set([call, ...others].map(({ id }) => id)).size).toBe(5);
  clock.advance(1);
  expect((await hold()).id).not.toBe(call.id);
});

test('a profile has at most 20 waiting calls', async () => {
  const { clock, hold, bob, ada } = await setUp();
  for (let index = 0; index < 20; index++) await hold(ada, `{"id":"${index}"}`);
  await expect(hold(ada, '{"id":"20"}')).rejects.toMatchObject({ code: 'too_many_pending' });
  await hold(ada, '{"id":"7"}');
  await hold(bob, '{"id":"20"}');
  clock.advance(hourMs);
  await hold(ada, '{"id":"20"}');
});

test('an approved call can be redeemed once, with the same arguments, and its arguments are deleted', async () => {
  const { clock, useCases, person, principalOf, redeem, sealedOf, ada } = await setUp();
  const { id } = await useCases.holdCall(await principalOf(ada), operation, argumentsText, 'idem');
  expect(await redeem(id)).toMatchObject({ outcome: 'waiting', call: { id, status: 'waiting' } });
  clock.advance(hourMs - 1);
  const approvedCall = await useCases.approveCall(person, id);
  expect(approvedCall).toMatchObject({ status: 'approved', expiresAt: clock.now() + hourMs, decidedAt: clock.now() });
  expect(approvedCall).not.toHaveProperty('sealed');
  await expect(redeem(id, { text: '{"id":"secret-station","depth":1}' })).rejects.toMatchObject({
    code: 'call_differs',
  });
  clock.advance(hourMs - 1);
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => redeem(id)));
  const redemptions = attempts.filter(({ status }) => status === 'fulfilled');
  expect(redemptions).toMatchObject([
    { value: { outcome: 'redeemed', call: { status: 'done' }, idempotencyKey: 'idem' } },
  ]);
  expect(await sealedOf(id)).toBeNull();
  await expect(redeem(id)).rejects.toThrow('Call already decided: done; send it without call_id to ask again');
});

test('an approval that is not used within an hour expires', async () => {
  const { clock, useCases, person, hold, redeem, principal } = await setUp();
  const { id } = await hold();
  await useCases.approveCall(person, id);
  clock.advance(hourMs);
  await expect(redeem(id)).rejects.toThrow('Call already decided: expired; send it without call_id to ask again');
  expect(await useCases.readCall(principal, id)).toMatchObject({ status: 'expired', argumentsText: null });
});

test('only the caller can redeem its call, for the same collection and operation', async () => {
  const { useCases, person, hold, redeem, bob, bridges } = await setUp();
  const { id } = await hold();
  await useCases.approveCall(person, id);
  for (const difference of [{ client: bob }, { collection: bridges }, { operationKey: otherKey }])
    await expect(redeem(id, difference)).rejects.toMatchObject({ code: 'call_not_found' });
  expect(await redeem(id)).toMatchObject({ outcome: 'redeemed' });
});

test('a denied call loses its arguments, and cannot be decided or redeemed again', async () => {
  const { useCases, person, hold, redeem, sealedOf } = await setUp();
  const { id } = await hold();
  expect(await useCases.denyCall(person, id, 'Use the test station')).toMatchObject({
    status: 'denied',
    reason: 'Use the test station',
    decidedBy: person.actor?.id,
  });
  expect(await sealedOf(id)).toBeNull();
  await expect(redeem(id)).rejects.toThrow('Call already decided: denied');
  await expect(useCases.approveCall(person, id)).rejects.toThrow('Call already decided: denied');
});

test('a call can be decided until it expires, and not one millisecond later', async () => {
  const { clock, useCases, person, hold, ada } = await setUp();
  const [first, second] = [await hold(), await hold(ada, '{}')];
  clock.advance(hourMs - 1);
  await useCases.approveCall(person, first.id);
  clock.advance(1);
  await expect(useCases.approveCall(person, second.id)).rejects.toThrow('Call already decided: expired');
  await expect(useCases.denyCall(person, second.id, null)).rejects.toThrow('Call already decided: expired');
});

test('a call is approved only if its caller is active, approved and has access now', async () => {
  const { useCases, authority, person, hold, ada, bob, roads } = await setUp();
  const [call, bobsCall] = [await hold(), await hold(bob)];
  const reasonOf = (id: typeof call.id) =>
    useCases.approveCall(person, id).then(
      () => null,
      (error: Error) => error.message,
    );
  await useCases.suspendProfile(authority, ada.id, null);
  expect(await reasonOf(call.id)).toBe('The caller may not call this API: it is suspended');
  await useCases.resumeProfile(authority, ada.id);
  await useCases.revokeAccess(authority, toClientPair(ada.id, roads));
  expect(await reasonOf(call.id)).toBe('The caller may not call this API: it has no access to the collection');
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  expect(await reasonOf(call.id)).toBeNull();
  await useCases.changeRole(person, bob.id, 'admin');
  await useCases.revokeAccess(authority, toClientPair(bob.id, roads)).catch(() => undefined);
  expect(await reasonOf(bobsCall.id)).toBeNull();
});

test('everyone reads its own calls, and an administrator reads all', async () => {
  const { useCases, principal, principalOf, hold, person, ada, bob, roads, bridges } = await setUp();
  const [adasCall, bobsCall] = [await hold(), await hold(bob, '{}', bridges)];
  const [adaReads, bobReads] = [await principalOf(ada), await principalOf(bob)];
  const idsFor = async (reader: Principal<CollectionHead>, filter: Partial<CallFilter> = {}) =>
    (await useCases.listCalls(reader, { ...noFilter, ...filter }, firstPage)).map(({ id }) => id).sort();
  expect(await idsFor(principal)).toEqual([adasCall.id, bobsCall.id].sort());
  expect(await idsFor(adaReads)).toEqual([adasCall.id]);
  expect(await idsFor(principal, { collectionId: roads })).toEqual([adasCall.id]);
  await expect(idsFor(adaReads, { profileId: bob.id })).rejects.toMatchObject({ code: 'admin_required' });
  await expect(useCases.readCall(bobReads, adasCall.id)).rejects.toMatchObject({ code: 'call_not_found' });
  for (const reader of [principal, adaReads])
    expect((await useCases.readCall(reader, adasCall.id)).argumentsText).toBe(argumentsText);
  expect((await useCases.readCall({ ...principal, via: 'account' }, adasCall.id)).argumentsText).toBeNull();
  await useCases.approveCall(person, adasCall.id);
  expect((await useCases.readCall(principal, adasCall.id)).argumentsText).toBeNull();
  expect((await useCases.readCall(adaReads, adasCall.id)).argumentsText).toBe(argumentsText);
  await useCases.revokeAccess(person, toClientPair(ada.id, roads));
  const adaWithoutGrant = await principalOf(ada);
  expect(await useCases.readCall(adaWithoutGrant, adasCall.id)).toMatchObject({ collectionName: null });
});

test('the arguments of expired calls are deleted, and calls are removed after 30 days', async () => {
  const { clock, useCases, hold, sealedOf, ports } = await setUp();
  const { id } = await hold();
  clock.advance(hourMs - 1);
  expect([await useCases.expireCalls(), await sealedOf(id)]).toEqual([0, expect.any(String)]);
  clock.advance(1);
  expect([await useCases.expireCalls(), await sealedOf(id)]).toEqual([1, null]);
  clock.advance(30 * dayMs - hourMs);
  expect([await useCases.expireCalls(), (await ports.calls.find(id))?.status]).toEqual([0, 'expired']);
  clock.advance(1);
  expect([await useCases.expireCalls(), await ports.calls.find(id)]).toEqual([1, null]);
});

test('the audit log has an entry for each step, and the arguments appear nowhere', async () => {
  const { useCases, person, hold, ada, roads, ports, mailer, runJobs } = await setUp();
  const [first, second] = [await hold(), await hold(ada, '{"id":"secret-station"}')];
  await hold();
  await useCases.approveCall(person, first.id);
  await useCases.denyCall(person, second.id, null);
  await runJobs();
  const { entries } = await ports.audit.readPage({ source: 'all' }, 0, 99);
  const messages = entries.map(({ message }) => JSON.parse(message) as Record<string, unknown>);
  const callMessages = messages.filter(({ action }) => String(action).startsWith('call.'));
  expect(callMessages.map(({ action, call_id }) => [action, call_id]).sort()).toEqual(
    [
      ['call.ask', first.id],
      ['call.ask', second.id],
      ['call.approve', first.id],
      ['call.deny', second.id],
    ].sort(),
  );
  for (const message of callMessages)
    expect(message).toMatchObject({
      ...{ profile_id: ada.id, collection_id: roads, collection: 'Roads', operation_key: key },
      ...{ method: 'DELETE', path: '/stations/{id}' },
    });
  expect(JSON.stringify([messages, mailer.sentMails])).not.toContain('secret-station');
});

test('administrators are notified of waiting calls, and the caller of the decision', async () => {
  const { clock, useCases, person, hold, mailer, runJobs, ada } = await setUp(
    createHarness({ publicUrl: 'https://portico.example.com' }),
  );
  await runJobs();
  clock.advance(300_000);
  await runJobs();
  const sentBefore = mailer.sentMails.length;
  const listMailsTo = async (uid: string) => {
    await runJobs();
    return mailer.sentMails.slice(sentBefore).filter(({ to }) => to === `${uid}@example.com`);
  };
  const [first, second] = [await hold(), await hold(ada, '{}')];
  expect(await listMailsTo('root')).toMatchObject([
    {
      name: 'waiting',
      subject: '2 calls waiting for approval',
      text: expect.stringMatching(
        new RegExp(`${first.id} {2}ada@example.com {2}"Roads" {2}DELETE /stations/\\{id\\}\\n[^]*console/access/calls`),
      ) as string,
      data: { calls_total: 2, calls: [{ email: 'ada@example.com', method: 'DELETE' }, {}] },
    },
  ]);
  await useCases.approveCall(person, first.id);
  await useCases.denyCall(person, second.id, 'Use the test station');
  expect(await listMailsTo('ada')).toMatchObject([
    {
      name: 'call-decided',
      subject: 'Your call to Roads is approved',
      text: expect.stringContaining(`"call_id": "${first.id}"`) as string,
    },
    {
      subject: 'Your call to Roads is denied',
      text: expect.stringContaining('Reason: Use the test station') as string,
    },
  ]);
});

test('no mail is sent about an approval that has expired', async () => {
  const { clock, useCases, person, hold, mailer, runJobs } = await setUp();
  await runJobs();
  const { id } = await hold();
  await useCases.approveCall(person, id);
  clock.advance(hourMs);
  await runJobs();
  expect(mailer.sentMails.filter(({ name }) => name === 'call-decided')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('the arguments are resealed with the current key, which changes nothing else', async () => {
  const world = await setUp();
  const { useCases, ports, hold, ada, redeem, person, sealedOf } = world;
  const [call, deniedCall] = [await hold(), await hold(ada, '{}')];
  await useCases.denyCall(person, deniedCall.id, null);
  await useCases.approveCall(person, call.id);
  const [before, sealedBefore] = [await ports.calls.find(call.id), await sealedOf(call.id)];
  const cipher = { ...ports.cipher, isCurrent: (sealed: string) => sealed !== sealedBefore };
  const { useCases: newUseCases } = createHarness({}, { ...ports, cipher });
  expect(await newUseCases.resealSecrets(operatorAuthority)).toMatchObject({ calls: 1, unreadable: [] });
  expect(await sealedOf(call.id)).not.toBe(sealedBefore);
  expect(await ports.calls.find(call.id)).toEqual({ ...before, sealed: await sealedOf(call.id) });
  expect(await newUseCases.resealSecrets(operatorAuthority)).toMatchObject({ calls: 0, unreadable: [] });
  expect(await redeem(call.id)).toMatchObject({ outcome: 'redeemed' });
});

test('a reset expires the calls whose arguments no key opens, and keeps the others', async () => {
  const { useCases, ports, hold, ada, sealedOf } = await setUp();
  const [call, otherCall] = [await hold(), await hold(ada, '{}')];
  const lostText = await sealedOf(call.id);
  const cipher = {
    ...ports.cipher,
    open: (sealed: string, context: string) => {
      if (sealed === lostText) throw new Error('no key opens it');
      return ports.cipher.open(sealed, context);
    },
  };
  expect(await resetSecrets({ ...ports, cipher })(operatorAuthority, 'pepper')).toMatchObject({
    calls: [call.id],
    mails: [],
    apiKeys: null,
  });
  expect(await ports.calls.find(call.id)).toMatchObject({ status: 'expired', sealed: null });
  expect(await ports.calls.find(otherCall.id)).toMatchObject({
    status: 'waiting',
    sealed: expect.any(String) as string,
  });
  const { entries } = await ports.audit.readPage({ source: 'all' }, 0, 1);
  expect(JSON.parse(entries[0]?.message ?? '')).toMatchObject({ action: 'secrets.reset', calls: 1 });
  expect((await useCases.resealSecrets(operatorAuthority)).unreadable).toEqual([]);
});
