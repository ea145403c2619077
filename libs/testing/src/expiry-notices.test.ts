import { toClientPair, operatorAuthority, type Settings } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness, type Harness } from './harness.ts';

const day = 86_400_000;

/**
 * Creates a harness with an admin, an approved client and a collection. Their emails and today's notices have been sent.
 */
const setUp = async (settings: Partial<Settings> = {}) => {
  const harness = createHarness(settings);
  const fixtures = await createFixtures(harness);
  const ada = await fixtures.approveClient('ada');
  const collection = await fixtures.createCollection('Roads');
  await harness.useCases.sendExpiryNotices();
  await harness.runJobs();
  const sentBefore = harness.mailer.sentMails.length;
  return { ...harness, ada: ada.id, collection, listMails: () => harness.mailer.sentMails.slice(sentBefore) };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

const grantFor = ({ useCases, clock, ada, collection }: Setup, days: number) =>
  useCases.grantAccess(operatorAuthority, toClientPair(ada, collection), clock.now() + days * day);

/** Lets a day pass, and runs everything that is due then. */
const passDay = async ({ clock, useCases, runJobs }: Harness) => {
  clock.advance(day);
  await useCases.sendExpiryNotices();
  await runJobs();
};

test('a client is notified 30, 7 and 1 days before its grant expires, and the admin on the same days', async () => {
  const setup = await setUp();
  await grantFor(setup, 40);
  const days: Record<string, number[]> = { 'ada@example.com': [], 'root@example.com': [] };
  for (let daysPassed = 1; daysPassed <= 41; daysPassed += 1) {
    const countBefore = setup.mailer.sentMails.length;
    await passDay(setup);
    for (const { to } of setup.mailer.sentMails.slice(countBefore)) days[to]?.push(40 - daysPassed);
  }
  expect(days).toEqual({ 'ada@example.com': [30, 7, 1], 'root@example.com': [30, 7, 1] });
});

test('the emails name the expiring access, the time of expiry and the next step', async () => {
  const setup = await setUp();
  await grantFor(setup, 8);
  await passDay(setup);
  const [clientMail, adminMail] = [...setup.listMails()].sort((a, b) => (a.to < b.to ? -1 : 1));
  expect(clientMail).toMatchObject({
    to: 'ada@example.com',
    subject: 'Part of your access expires soon',
    name: 'expiry',
  });
  expect(clientMail?.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}access to "Roads"\n/);
  expect(clientMail?.text).toContain('Ask an administrator to extend');
  expect(adminMail).toMatchObject({
    to: 'root@example.com',
    subject: 'One grant or API key expires soon',
    name: 'expiries',
  });
  expect(adminMail?.text).toMatch(/UTC {2}ada@example\.com {2}access to "Roads"\n/);
  expect(adminMail?.text).toContain('PUT /api/access/clients/');
  expect(clientMail?.data).toMatchObject({ total: 1, ends: [{ what: 'access', collection: 'Roads', group: null }] });
});

test('the notices of a day are sent only once', async () => {
  const setup = await setUp();
  await grantFor(setup, 8);
  await passDay(setup);
  const sentCount = setup.listMails().length;
  expect(await setup.useCases.sendExpiryNotices()).toBe(false);
  await setup.runJobs();
  expect(setup.listMails()).toHaveLength(sentCount);
});

test('notices for days on which no process was running are sent later', async () => {
  const setup = await setUp();
  await grantFor(setup, 10);
  setup.clock.advance(4 * day);
  await passDay(setup);
  expect(
    setup
      .listMails()
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['ada@example.com', 'root@example.com']);
});

test('no notice is sent about revoked or extended grants, or to a suspended client', async () => {
  const setup = await setUp();
  const { useCases, ada, collection, clock } = setup;
  await grantFor(setup, 8);
  clock.advance(day);
  await useCases.sendExpiryNotices();
  await useCases.changeGrant(operatorAuthority, toClientPair(ada, collection), { expiresAt: null });
  await setup.runJobs();
  expect(setup.listMails()).toEqual([]);

  await useCases.changeGrant(operatorAuthority, toClientPair(ada, collection), { expiresAt: clock.now() + 8 * day });
  await useCases.suspendProfile(operatorAuthority, ada, null);
  await passDay(setup);
  expect(setup.listMails().map(({ name }) => name)).toEqual(['suspension']);
});

test('with notices off, clients are notified, but not admins', async () => {
  const setup = await setUp({ adminNotices: false });
  await grantFor(setup, 8);
  await passDay(setup);
  expect(setup.listMails().map(({ to }) => to)).toEqual(['ada@example.com']);
});

test('a client is notified when it is suspended, with the reason, and when it is resumed', async () => {
  const setup = await setUp();
  await setup.useCases.suspendProfile(operatorAuthority, setup.ada, 'Left the <project>');
  await setup.runJobs();
  await setup.useCases.resumeProfile(operatorAuthority, setup.ada);
  await setup.runJobs();
  const [suspensionMail, resumptionMail] = setup.listMails();
  expect(suspensionMail).toMatchObject({ to: 'ada@example.com', subject: 'Your access is suspended' });
  expect(suspensionMail?.text).toContain('Reason: Left the <project>');
  expect(suspensionMail?.html).toContain('Left the &lt;project&gt;');
  expect(resumptionMail).toMatchObject({ to: 'ada@example.com', subject: 'Your access is resumed' });
});
