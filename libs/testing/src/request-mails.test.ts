import {
  toClientPair,
  type CollectionId,
  type Credential,
  type Group,
  type GroupId,
  toGroupPair,
  formatMinute,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const dayMs = 86_400_000;
const fiveMinutes = 300_000;

/**
 * Creates a harness where Ada may request access to Roads. All emails about her registration have been sent, and the
 * pause between notices is over.
 */
const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases, clock, mailer, runJobs } = harness;
  const createDiscoverable = async (name: string): Promise<CollectionId> => {
    const id = await fixtures.createCollection(name);
    await useCases.updateCollection(fixtures.authority, id, { discoverable: true, strict: false });
    return id;
  };
  const ada = await fixtures.approveClient('ada');
  const roads = await createDiscoverable('Roads');
  await runJobs();
  clock.advance(fiveMinutes);
  await runJobs();
  const sentBefore = mailer.sentMails.length;
  const requestBy = async (key: Credential, collectionId: CollectionId, durationDays: number | null = null) =>
    useCases.requestAccess(await fixtures.admitByKey(key, null), {
      collectionId,
      reason: 'For the bridge',
      durationDays,
    });
  /** Runs all jobs, and returns the emails sent to this user since the setup. */
  const listMailsTo = async (uid: string) => {
    await runJobs();
    return mailer.sentMails.slice(sentBefore).filter(({ to }) => to === `${uid}@example.com`);
  };
  return { ...harness, ...fixtures, ada, roads, createDiscoverable, requestBy, listMailsTo };
};

test('the requester is notified of the approval, with the expiry, in text and HTML', async () => {
  const { useCases, authority, clock, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, undefined);
  const [mail, ...otherMails] = await listMailsTo('ada');
  expect(otherMails).toEqual([]);
  expect(mail).toMatchObject({ name: 'request-decided', subject: 'You have access to Roads' });
  const expiry = formatMinute(clock.now() + 30 * dayMs);
  for (const body of [mail?.text, mail?.html]) {
    expect(body).toContain(expiry);
    expect(body).toContain('GET /api/collections/{id}');
  }
  expect(mail?.data).toMatchObject({ collection: 'Roads', status: 'approved', reason: null, expires_at: expiry });
});

test('the email about an approval without an expiry mentions no expiry', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads, 30);
  await useCases.approveRequest(authority, id, null);
  const [mail] = await listMailsTo('ada');
  expect(mail?.text).toContain('you asked for access to "Roads", and now have it.');
  expect(mail?.data).toMatchObject({ status: 'approved', expires_at: null });
});

test('the requester is notified of the denial, with the reason and the next steps', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, 'Ask <the> bridge team.');
  const [mail, ...otherMails] = await listMailsTo('ada');
  expect(otherMails).toEqual([]);
  expect(mail).toMatchObject({ subject: 'No access to Roads' });
  expect(mail?.text).toContain('Reason: Ask <the> bridge team.');
  expect(mail?.html).toContain('Reason: Ask &lt;the&gt; bridge team.');
  for (const body of [mail?.text, mail?.html]) {
    expect(body).toContain('an administrator has denied it');
    expect(body).toContain('You may ask again with POST /api/access/requests.');
  }
});

test('the email about a denial without a reason mentions no reason', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  const [mail] = await listMailsTo('ada');
  expect(mail?.text).toContain('denied');
  expect(mail?.text).not.toContain('Reason');
});

test('the requester is notified when access is granted in a different way, with the latest expiry', async () => {
  const { useCases, ports, authority, clock, ada, roads, createDiscoverable, requestBy, listMailsTo } = await setUp();
  const bridges = await createDiscoverable('Bridges');
  for (const collection of [roads, bridges]) await requestBy(ada.key, collection);
  const now = clock.now();
  const id = ports.random.uuid() as GroupId;
  const group: Group = { id, name: 'builders', description: '', tier: null, createdAt: now, updatedAt: now };
  await ports.groups.add(group, { deadline: null });
  await useCases.grantAccess(authority, toGroupPair(id, bridges), now + 2 * dayMs);
  await useCases.addMember(authority, id, ada.id);
  await useCases.grantAccess(authority, toClientPair(ada.id, roads), now + dayMs);
  const mails = await listMailsTo('ada');
  expect(mails.map(({ data }) => [data.collection, data.status, data.expires_at]).sort()).toEqual([
    ['Bridges', 'granted', formatMinute(now + 2 * dayMs)],
    ['Roads', 'granted', formatMinute(now + dayMs)],
  ]);
  for (const { subject } of mails) expect(subject).toMatch(/^You have access to /);
});

test('no mail is sent about a withdrawn request', async () => {
  const { useCases, ada, roads, requestBy, admitByKey, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.withdrawRequest(await admitByKey(ada.key, null), id);
  expect(await listMailsTo('ada')).toEqual([]);
});

test('no mail is sent about a request if its collection is deleted first', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, 'No');
  await useCases.removeCollection(authority, roads);
  expect(await listMailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('no mail is sent about a request if its requester is deleted first', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.approveRequest(authority, id, null);
  await useCases.removeProfile(authority, ada.id);
  expect(await listMailsTo('ada')).toEqual([]);
  expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [], waiting: 0 });
});

test('the notice to admins lists registrations and requests, and what to do about each', async () => {
  const { ada, roads, requestBy, register, listMailsTo } = await setUp();
  const bob = await register('bob');
  const { id } = await requestBy(ada.key, roads, 1);
  const [mail, ...otherMails] = await listMailsTo('root');
  expect(otherMails).toEqual([]);
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
  const { clock, ada, roads, createDiscoverable, requestBy, register, listMailsTo } = await setUp();
  await requestBy(ada.key, roads);
  expect(await listMailsTo('root')).toMatchObject([{ subject: 'Request for access waiting for approval' }]);
  await register('bob');
  await requestBy(ada.key, await createDiscoverable('Bridges'));
  clock.advance(fiveMinutes - 1);
  expect(await listMailsTo('root')).toHaveLength(1);
  clock.advance(1);
  const mails = await listMailsTo('root');
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Request for access waiting for approval',
    '3 decisions are waiting',
  ]);
  clock.advance(10 * fiveMinutes);
  expect(await listMailsTo('root')).toHaveLength(2);
});

test('no notice is sent if every request has already been decided', async () => {
  const { useCases, authority, ada, roads, requestBy, listMailsTo } = await setUp();
  const { id } = await requestBy(ada.key, roads);
  await useCases.denyRequest(authority, id, null);
  expect(await listMailsTo('root')).toEqual([]);
});
