import {
  clientPair,
  type CollectionId,
  type Credential,
  type Group,
  type GroupId,
  groupPair,
  formatMinute,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const dayMs = 86_400_000;
const fiveMinutes = 300_000;

/**
 * Creates a harness where Ada may request access to Roads. All mails about her registration have been sent, and the
 * pause between notices is over.
 */
const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases, clock, mailer, runJobs } = harness;
  const open = async (name: string): Promise<CollectionId> => {
    const id = await fixtures.collection(name);
    await useCases.updateCollection(fixtures.authority, id, { discoverable: true, strict: false });
    return id;
  };
  const ada = await fixtures.approved('ada');
  const roads = await open('Roads');
  await runJobs();
  clock.advance(fiveMinutes);
  await runJobs();
  const sentBefore = mailer.sent.length;
  const requestBy = async (key: Credential, collectionId: CollectionId, durationDays: number | null = null) =>
    useCases.requestAccess(await fixtures.byKey(key, null), { collectionId, reason: 'For the bridge', durationDays });
  /** Runs all jobs, and returns the mails sent to this user since the setup. */
  const mailsTo = async (uid: string) => {
    await runJobs();
    return mailer.sent.slice(sentBefore).filter(({ to }) => to === `${uid}@example.com`);
  };
  return { ...harness, ...fixtures, ada, roads, open, requestBy, mailsTo };
};

test('the requester is notified of the approval, with the expiry, in text and HTML', async () => {
  const { useCases, authority, clock, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, undefined);
  const [mail, ...more] = await mailsTo('ada');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ name: 'request-decided', subject: 'You have access to Roads' });
  const end = formatMinute(clock.now() + 30 * dayMs);
  for (const body of [mail?.text, mail?.html]) {
    expect(body).toContain(end);
    expect(body).toContain('GET /api/collections/{id}');
  }
  expect(mail?.facts).toMatchObject({ collection: 'Roads', status: 'approved', reason: null, expires_at: end });
});

test('an approval without an expiry mentions none', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, null);
  const [mail] = await mailsTo('ada');
  expect(mail?.text).toContain('you asked for access to "Roads", and have it now.');
  expect(mail?.facts).toMatchObject({ status: 'approved', expires_at: null });
});

test('the requester is notified of the denial, with the reason and the next steps', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
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

test('a denial without a reason mentions none', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  const [mail] = await mailsTo('ada');
  expect(mail?.text).toContain('denied');
  expect(mail?.text).not.toContain('Reason');
});

test('the requester is notified when access is granted in another way, with the last expiry', async () => {
  const { useCases, ports, authority, clock, ada, roads, open, requestBy, mailsTo } = await setUp();
  const bridges = await open('Bridges');
  for (const collection of [roads, bridges]) await requestBy(ada.key, collection);
  const now = clock.now();
  const id = ports.random.uuid() as GroupId;
  const group: Group = { id, name: 'builders', description: '', tier: null, createdAt: now, updatedAt: now };
  await ports.groups.add(group, { deadline: null });
  await useCases.grantAccess(authority, groupPair(id, bridges), now + 2 * dayMs);
  await useCases.addMember(authority, id, ada.id);
  await useCases.grantAccess(authority, clientPair(ada.id, roads), now + dayMs);
  const mails = await mailsTo('ada');
  expect(mails.map(({ facts }) => [facts.collection, facts.status, facts.expires_at]).sort()).toEqual([
    ['Bridges', 'granted', formatMinute(now + 2 * dayMs)],
    ['Roads', 'granted', formatMinute(now + dayMs)],
  ]);
  for (const { subject } of mails) expect(subject).toMatch(/^You have access to /);
});

test('no mail is sent about a withdrawn request', async () => {
  const { useCases, ada, roads, requestBy, byKey, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.withdrawRequest(await byKey(ada.key, null), id);
  expect(await mailsTo('ada')).toEqual([]);
});

test('no mail is sent about a request if its collection is deleted before', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, 'No');
  await useCases.removeCollection(authority, roads);
  expect(await mailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('no mail is sent about a request if its requester is deleted before', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.approveRequest(authority, id, null);
  await useCases.removeProfile(authority, ada.id);
  expect(await mailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('the notice to admins lists registrations and requests, and what to do about each', async () => {
  const { ada, roads, requestBy, register, mailsTo } = await setUp();
  const bob = await register('bob');
  const { id } = await requestBy(ada.key, roads, 1);
  const [mail, ...more] = await mailsTo('root');
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ name: 'waiting', subject: '2 decisions are waiting' });
  expect(mail?.text).toContain(`${bob.id}  bob@example.com  "bob"`);
  expect(mail?.text).toContain(`${id}  ada@example.com  "Roads", for 1 day: "For the bridge"`);
  expect(mail?.html).toContain(`${id}  ada@example.com  &quot;Roads&quot;, for 1 day: &quot;For the bridge&quot;`);
  for (const body of [mail?.text, mail?.html])
    for (const text of [
      'a registration is waiting',
      'a request for access is waiting',
      'POST /api/profiles/{id}/approve',
      'POST /api/profiles/{id}/reject',
      'GET /api/profiles/?registration_status=pending',
      'POST /api/access/requests/{id}/approve',
      'POST /api/access/requests/{id}/deny',
      'GET /api/access/requests?status=pending',
    ])
      expect(body).toContain(text);
});

test('admins get at most one notice in 5 minutes', async () => {
  const { clock, ada, roads, open, requestBy, register, mailsTo } = await setUp();
  await requestBy(ada.key, roads);
  expect(await mailsTo('root')).toMatchObject([{ subject: 'Request for access waiting for approval' }]);
  await register('bob');
  await requestBy(ada.key, await open('Bridges'));
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

test('no notice is sent if every request has already been decided', async () => {
  const { useCases, authority, ada, roads, requestBy, mailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  expect(await mailsTo('root')).toEqual([]);
});
