import { clientPair, operatorAuthority, type Settings } from '@portico/domain';
import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness, type Harness } from './harness.ts';

const day = 86_400_000;

/** A harness with an admin, an approved client and a collection, after the mails about them; today is announced. */
const aWorld = async (settings: Partial<Settings> = {}) => {
  const harness = createHarness(settings);
  const cast = await createCast(harness);
  const ada = await cast.approved('ada');
  const collection = await cast.collection('Roads');
  await harness.useCases.announceExpiries();
  await harness.runJobs();
  const before = harness.mailer.sent.length;
  return { ...harness, ada: ada.id, collection, mails: () => harness.mailer.sent.slice(before) };
};

type World = Awaited<ReturnType<typeof aWorld>>;

const grantFor = ({ useCases, clock, ada, collection }: World, days: number) =>
  useCases.grantAccess(operatorAuthority, clientPair(ada, collection), clock.now() + days * day);

/** Lets a day pass, and everything that is due then. */
const aDayLater = async ({ clock, useCases, runJobs }: Harness) => {
  clock.advance(day);
  await useCases.announceExpiries();
  await runJobs();
};

test('a client is told 30, 7 and 1 days before its grant ends, and the admin on the same days', async () => {
  const world = await aWorld();
  await grantFor(world, 40);
  const days: Record<string, number[]> = { 'ada@example.com': [], 'root@example.com': [] };
  for (let passed = 1; passed <= 41; passed += 1) {
    const before = world.mailer.sent.length;
    await aDayLater(world);
    for (const { to } of world.mailer.sent.slice(before)) days[to]?.push(40 - passed);
  }
  expect(days).toEqual({ 'ada@example.com': [30, 7, 1], 'root@example.com': [30, 7, 1] });
});

test('the mails say what ends, when, and what to do', async () => {
  const world = await aWorld();
  await grantFor(world, 8);
  await aDayLater(world);
  const [toClient, toAdmin] = [...world.mails()].sort((a, b) => (a.to < b.to ? -1 : 1));
  expect(toClient).toMatchObject({ to: 'ada@example.com', subject: 'Something of yours ends soon', name: 'expiry' });
  expect(toClient?.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}access to "Roads"\n/);
  expect(toClient?.text).toContain('Ask an administrator to extend');
  expect(toAdmin).toMatchObject({ to: 'root@example.com', subject: 'One right ends soon', name: 'expiries' });
  expect(toAdmin?.text).toMatch(/UTC {2}ada@example\.com {2}access to "Roads"\n/);
  expect(toAdmin?.text).toContain('PUT /api/access/clients/');
  expect(toClient?.facts).toMatchObject({ total: 1, ends: [{ what: 'access', collection: 'Roads', group: null }] });
});

test('a day is announced once, whoever asks', async () => {
  const world = await aWorld();
  await grantFor(world, 8);
  await aDayLater(world);
  const sent = world.mails().length;
  expect(await world.useCases.announceExpiries()).toBe(false);
  await world.runJobs();
  expect(world.mails()).toHaveLength(sent);
});

test('days without a process are made up for', async () => {
  const world = await aWorld();
  await grantFor(world, 10);
  world.clock.advance(4 * day);
  await aDayLater(world);
  expect(
    world
      .mails()
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['ada@example.com', 'root@example.com']);
});

test('nobody is told about what was revoked or extended meanwhile, and no suspended client about anything', async () => {
  const world = await aWorld();
  const { useCases, ada, collection, clock } = world;
  await grantFor(world, 8);
  clock.advance(day);
  await useCases.announceExpiries();
  await useCases.changeExpiry(operatorAuthority, clientPair(ada, collection), null);
  await world.runJobs();
  expect(world.mails()).toEqual([]);

  await useCases.changeExpiry(operatorAuthority, clientPair(ada, collection), clock.now() + 8 * day);
  await useCases.suspendProfile(operatorAuthority, ada, null);
  await aDayLater(world);
  expect(world.mails().map(({ name }) => name)).toEqual(['suspension']);
});

test('with notices off, admins are told nothing, and clients are', async () => {
  const world = await aWorld({ adminNotices: false });
  await grantFor(world, 8);
  await aDayLater(world);
  expect(world.mails().map(({ to }) => to)).toEqual(['ada@example.com']);
});

test('who is suspended and resumed is told, with the reason', async () => {
  const world = await aWorld();
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
