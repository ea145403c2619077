import { clientPair, operatorAuthority, type Settings } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness, type Harness } from './harness.ts';

const day = 86_400_000;

/**
 * Creates a harness with an admin, an approved client and a collection. Their mails and today's notices have been sent.
 */
const setUp = async (settings: Partial<Settings> = {}) => {
  const harness = createHarness(settings);
  const fixtures = await createFixtures(harness);
  const ada = await fixtures.approved('ada');
  const collection = await fixtures.collection('Roads');
  await harness.useCases.sendExpiryNotices();
  await harness.runJobs();
  const before = harness.mailer.sent.length;
  return { ...harness, ada: ada.id, collection, mails: () => harness.mailer.sent.slice(before) };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

const grantFor = ({ useCases, clock, ada, collection }: Setup, days: number) =>
  useCases.grantAccess(operatorAuthority, clientPair(ada, collection), clock.now() + days * day);

/** Lets a day pass, and runs everything that is due then. */
const passDay = async ({ clock, useCases, runJobs }: Harness) => {
  clock.advance(day);
  await useCases.sendExpiryNotices();
  await runJobs();
};

test('a client is notified 30, 7 and 1 days before its grant expires, and the admin on the same days', async () => {
  const world = await setUp();
  await grantFor(world, 40);
  const days: Record<string, number[]> = { 'ada@example.com': [], 'root@example.com': [] };
  for (let passed = 1; passed <= 41; passed += 1) {
    const before = world.mailer.sent.length;
    await passDay(world);
    for (const { to } of world.mailer.sent.slice(before)) days[to]?.push(40 - passed);
  }
  expect(days).toEqual({ 'ada@example.com': [30, 7, 1], 'root@example.com': [30, 7, 1] });
});

test('the mails contain what to do, and the time and subject of the expiry', async () => {
  const world = await setUp();
  await grantFor(world, 8);
  await passDay(world);
  const [toClient, toAdmin] = [...world.mails()].sort((a, b) => (a.to < b.to ? -1 : 1));
  expect(toClient).toMatchObject({
    to: 'ada@example.com',
    subject: 'Part of your access expires soon',
    name: 'expiry',
  });
  expect(toClient?.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}access to "Roads"\n/);
  expect(toClient?.text).toContain('Ask an administrator to extend');
  expect(toAdmin).toMatchObject({
    to: 'root@example.com',
    subject: 'One grant or API key expires soon',
    name: 'expiries',
  });
  expect(toAdmin?.text).toMatch(/UTC {2}ada@example\.com {2}access to "Roads"\n/);
  expect(toAdmin?.text).toContain('PUT /api/access/clients/');
  expect(toClient?.facts).toMatchObject({ total: 1, ends: [{ what: 'access', collection: 'Roads', group: null }] });
});

test('the notices of a day are sent only once', async () => {
  const world = await setUp();
  await grantFor(world, 8);
  await passDay(world);
  const sent = world.mails().length;
  expect(await world.useCases.sendExpiryNotices()).toBe(false);
  await world.runJobs();
  expect(world.mails()).toHaveLength(sent);
});

test('days without a process are caught up on', async () => {
  const world = await setUp();
  await grantFor(world, 10);
  world.clock.advance(4 * day);
  await passDay(world);
  expect(
    world
      .mails()
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['ada@example.com', 'root@example.com']);
});

test('no notice is sent about revoked or extended grants, or to a suspended client', async () => {
  const world = await setUp();
  const { useCases, ada, collection, clock } = world;
  await grantFor(world, 8);
  clock.advance(day);
  await useCases.sendExpiryNotices();
  await useCases.changeExpiry(operatorAuthority, clientPair(ada, collection), null);
  await world.runJobs();
  expect(world.mails()).toEqual([]);

  await useCases.changeExpiry(operatorAuthority, clientPair(ada, collection), clock.now() + 8 * day);
  await useCases.suspendProfile(operatorAuthority, ada, null);
  await passDay(world);
  expect(world.mails().map(({ name }) => name)).toEqual(['suspension']);
});

test('with notices off, clients are notified, but not admins', async () => {
  const world = await setUp({ adminNotices: false });
  await grantFor(world, 8);
  await passDay(world);
  expect(world.mails().map(({ to }) => to)).toEqual(['ada@example.com']);
});

test('a suspended and resumed client is notified, with the reason', async () => {
  const world = await setUp();
  await world.useCases.suspendProfile(operatorAuthority, world.ada, 'Left the <project>');
  await world.runJobs();
  await world.useCases.resumeProfile(operatorAuthority, world.ada);
  await world.runJobs();
  const [suspended, resumed] = world.mails();
  expect(suspended).toMatchObject({ to: 'ada@example.com', subject: 'Your access is suspended' });
  expect(suspended?.text).toContain('Reason: Left the <project>');
  expect(suspended?.html).toContain('Left the &lt;project&gt;');
  expect(resumed).toMatchObject({ to: 'ada@example.com', subject: 'Your access is resumed' });
});
