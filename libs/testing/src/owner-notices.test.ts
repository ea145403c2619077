import type { ProfileId } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

/** Creates a harness where Olga owns Roads, and Ada may request access to Roads and Bridges. */
const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases, mailer, runJobs } = harness;
  const { authority } = fixtures;
  const [ada, olga] = [await fixtures.approveClient('ada'), await fixtures.approveClient('olga')];
  const createDiscoverable = async (name: string) => {
    const id = await fixtures.createCollection(name);
    await useCases.updateCollection(authority, id, { discoverable: true, strict: false });
    return id;
  };
  const [roads, bridges] = [await createDiscoverable('Roads'), await createDiscoverable('Bridges')];
  const group = await useCases.createGroup(authority, { name: 'Road crew', description: '', tier: null });
  /** Adds a profile to the group that owns Roads, after its first sign-in. */
  const join = async (uid: string, id: ProfileId) => {
    await fixtures.admitByToken(uid);
    await useCases.addMember(authority, group.id, id);
  };
  await join('olga', olga.id);
  await useCases.setOwner(authority, roads, group.id);
  await runJobs();
  harness.clock.advance(300_000);
  await runJobs();
  const sentBefore = mailer.sentMails.length;
  const request = async ({ key }: typeof ada, collectionId: typeof roads) =>
    useCases.requestAccess(await fixtures.admitByKey(key, null), { collectionId, reason: 'Now', durationDays: null });
  /** Runs all jobs, and returns the notices sent to this user since the setup. */
  const listMailsTo = async (uid: string) => {
    await runJobs();
    return mailer.sentMails
      .slice(sentBefore)
      .filter(({ to, name }) => to === `${uid}@example.com` && name === 'waiting');
  };
  return { ...harness, ...fixtures, ada, olga, roads, bridges, group, join, request, listMailsTo };
};

test('an owner is notified of requests for its collections, besides the administrators, and of nothing else', async () => {
  const { ada, roads, bridges, register, request, listMailsTo } = await setUp();
  await register('bob');
  await request(ada, bridges);
  expect(await listMailsTo('olga')).toEqual([]);
  const { id } = await request(ada, roads);
  const [mail, ...others] = await listMailsTo('olga');
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ name: 'waiting', subject: 'Request for access waiting for approval' });
  expect(mail?.text).toContain(`${id}  ada@example.com  "Roads"`);
  for (const text of ['bob@example.com', 'Bridges']) expect(mail?.text).not.toContain(text);
  expect((await listMailsTo('root')).length).toBeGreaterThan(0);
});

test('an owner is not notified of its own request, and other owners are', async () => {
  const { olga, approveClient, join, roads, request, listMailsTo } = await setUp();
  await join('oleg', (await approveClient('oleg')).id);
  await request(olga, roads);
  expect(await listMailsTo('oleg')).toHaveLength(1);
  expect(await listMailsTo('olga')).toEqual([]);
});

test('an owner who is suspended, or no longer an owner when the mail is sent, is not notified', async () => {
  const { useCases, authority, ada, olga, approveClient, join, group, roads, request, listMailsTo } = await setUp();
  const { id: oleg } = await approveClient('oleg');
  await join('oleg', oleg);
  await request(ada, roads);
  await useCases.suspendProfile(authority, olga.id, null);
  await useCases.removeMember(authority, group.id, oleg);
  expect([await listMailsTo('olga'), await listMailsTo('oleg')]).toEqual([[], []]);
});

test('an owner is not notified if the request has been decided before', async () => {
  const { useCases, authority, ada, roads, request, listMailsTo } = await setUp();
  const { id } = await request(ada, roads);
  await useCases.denyRequest(authority, id, null);
  expect(await listMailsTo('olga')).toEqual([]);
});
