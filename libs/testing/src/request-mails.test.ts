import {
  clientPair,
  type CollectionId,
  type Credential,
  type Group,
  type GroupId,
  groupPair,
  minuteOf,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness } from './harness.ts';

const dayMs = 86_400_000;
const fiveMinutes = 300_000;

/** Ada may ask for roads. All mails about how she came to be are sent, and the rest after them is over. */
const setUp = async () => {
  const harness = createHarness();
  const cast = await createCast(harness);
  const { useCases, clock, mailer, runJobs } = harness;
  const open = async (name: string): Promise<CollectionId> => {
    const id = await cast.collection(name);
    await useCases.updateCollection(cast.authority, id, { discoverable: true, strict: false });
    return id;
  };
  const ada = await cast.approved('ada');
  const roads = await open('Roads');
  await runJobs();
  clock.advance(fiveMinutes);
  await runJobs();
  const sentBefore = mailer.sent.length;
  const askBy = async (key: Credential, collectionId: CollectionId, durationDays: number | null = null) =>
    useCases.askForAccess(await cast.byKey(key, null), { collectionId, reason: 'For the bridge', durationDays });
  /** The mails since then to this person, once all jobs have run. */
  const mailsTo = async (uid: string) => {
    await runJobs();
    return mailer.sent.slice(sentBefore).filter(({ to }) => to === `${uid}@example.com`);
  };
  return { ...harness, ...cast, ada, roads, open, askBy, mailsTo };
};

test('who asked is told of the approval, with the end, in text and HTML', async () => {
  const { useCases, authority, clock, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, undefined);
  const [mail, ...more] = await mailsTo('ada');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ name: 'request-decided', subject: 'You have access to Roads' });
  const end = minuteOf(clock.now() + 30 * dayMs);
  for (const body of [mail?.text, mail?.html]) {
    expect(body).toContain(end);
    expect(body).toContain('GET /api/collections/{id}');
  }
  expect(mail?.facts).toMatchObject({ collection: 'Roads', status: 'approved', reason: null, expires_at: end });
});

test('an approval without an end names none', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, null);
  const [mail] = await mailsTo('ada');
  expect(mail?.text).toContain('you asked for access to "Roads", and have it now.');
  expect(mail?.facts).toMatchObject({ status: 'approved', expires_at: null });
});

test('who asked is told of the denial, with the reason and what to do next', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.denyRequest(authority, id, 'Ask <the> bridge team.');
  const [mail, ...more] = await mailsTo('ada');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ subject: 'No access to Roads' });
  expect(mail?.text).toContain('Reason: Ask <the> bridge team.');
  expect(mail?.html).toContain('Reason: Ask &lt;the&gt; bridge team.');
  for (const body of [mail?.text, mail?.html]) {
    expect(body).toContain('an administrator has denied it');
    expect(body).toContain('You may ask again with POST /api/access/requests.');
  }
});

test('a denial without a reason names none', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  const [mail] = await mailsTo('ada');
  expect(mail?.text).toContain('denied');
  expect(mail?.text).not.toContain('Reason');
});

test('who asked is told when the access is granted otherwise, until its last end', async () => {
  const { useCases, ports, authority, clock, ada, roads, open, askBy, mailsTo } = await setUp();
  const bridges = await open('Bridges');
  for (const collection of [roads, bridges]) await askBy(ada.key, collection);
  const now = clock.now();
  const id = ports.random.uuid() as GroupId;
  const group: Group = { id, name: 'builders', description: '', tier: null, createdAt: now, updatedAt: now };
  await ports.groups.add(group, { deadline: null });
  await useCases.grantAccess(authority, groupPair(id, bridges), now + 2 * dayMs);
  await useCases.addMember(authority, id, ada.id);
  await useCases.grantAccess(authority, clientPair(ada.id, roads), now + dayMs);
  const mails = await mailsTo('ada');
  expect(mails.map(({ facts }) => [facts.collection, facts.status, facts.expires_at]).sort()).toEqual([
    ['Bridges', 'granted', minuteOf(now + 2 * dayMs)],
    ['Roads', 'granted', minuteOf(now + dayMs)],
  ]);
  for (const { subject } of mails) expect(subject).toMatch(/^You have access to /);
});

test('nobody is told about a request that was withdrawn', async () => {
  const { useCases, ada, roads, askBy, byKey, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.withdrawRequest(await byKey(ada.key, null), id);
  expect(await mailsTo('ada')).toEqual([]);
});

test('nobody is told about a request that is gone with its collection before the mail', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.denyRequest(authority, id, 'No');
  await useCases.removeCollection(authority, roads);
  expect(await mailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('nobody is told about a request whose asker is deleted before the mail', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.approveRequest(authority, id, null);
  await useCases.removeProfile(authority, ada.id);
  expect(await mailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('the notice to admins lists registrations and requests, and says what to do with each', async () => {
  const { ada, roads, askBy, register, mailsTo } = await setUp();
  const bob = await register('bob');
  const { id } = await askBy(ada.key, roads, 1);
  const [mail, ...more] = await mailsTo('root');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ name: 'waiting', subject: '2 decisions are waiting' });
  expect(mail?.text).toContain(`${bob.id}  bob@example.com  "bob"`);
  expect(mail?.text).toContain(`${id}  ada@example.com  "Roads", for 1 day: "For the bridge"`);
  expect(mail?.html).toContain(`${id}  ada@example.com  &quot;Roads&quot;, for 1 day: &quot;For the bridge&quot;`);
  for (const body of [mail?.text, mail?.html])
    for (const what of [
      'a registration is waiting',
      'a request for access is waiting',
      'POST /api/profiles/{id}/approve',
      'POST /api/profiles/{id}/reject',
      'GET /api/profiles/?registration_status=pending',
      'POST /api/access/requests/{id}/approve',
      'POST /api/access/requests/{id}/deny',
      'GET /api/access/requests?status=pending',
    ])
      expect(body).toContain(what);
});

test('admins get at most one notice in 5 minutes, whatever comes', async () => {
  const { clock, ada, roads, open, askBy, register, mailsTo } = await setUp();
  await askBy(ada.key, roads);
  expect(await mailsTo('root')).toMatchObject([{ subject: 'Request for access waiting for approval' }]);
  await register('bob');
  await askBy(ada.key, await open('Bridges'));
  clock.advance(fiveMinutes - 1);
  expect(await mailsTo('root')).toHaveLength(1);
  clock.advance(1);
  const mails = await mailsTo('root');
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Request for access waiting for approval',
    '3 decisions are waiting',
  ]);
  clock.advance(10 * fiveMinutes);
  expect(await mailsTo('root')).toHaveLength(2);
});

test('no notice is sent if every request is decided by then', async () => {
  const { useCases, authority, ada, roads, askBy, mailsTo } = await setUp();
  const { id } = await askBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  expect(await mailsTo('root')).toEqual([]);
});
