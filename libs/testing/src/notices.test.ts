import { expect, test } from 'vitest';
import { operatorAuthority, type IdentityClaims, type Settings } from '@portico/domain';

import { createHarness, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

const authority = operatorAuthority;
const fiveMinutes = 300_000;

const register = ({ useCases }: Harness, uid: string, identity: IdentityClaims | null = null) =>
  useCases.registerProfile(
    { uid, email: `${uid}@example.com`, fullName: `Person ${uid}`, companyName: null },
    identity,
    null,
  );

/** Creates a harness with these admins. */
const createHarnessWithAdmins = async (names: readonly string[] = ['root'], settings: Partial<Settings> = {}) => {
  const harness = createHarness(settings);
  const ids = [];
  for (const [index, name] of names.entries()) {
    const email = `${name}@example.com`;
    if (index === 0) {
      const admin = await harness.useCases.claimFirstAdmin({ issuer: testIssuer, uid: name, email });
      if (admin) ids.push(admin.id);
      continue;
    }
    // This sends no notice, because no registration is pending when the notice job runs.
    const { id } = await register(harness, name, {
      issuer: testIssuer,
      uid: name,
      email,
      emailVerified: true,
      isAccessToken: false,
      groups: null,
    });
    await harness.useCases.changeRole(authority, id, 'admin');
    ids.push(id);
  }
  await harness.runJobs();
  harness.clock.advance(fiveMinutes);
  return { ...harness, ids };
};

const countWaiting = async ({ ports, clock }: Harness) => (await ports.outbox.readState(clock.now())).waiting;

test('an admin immediately gets an email about a registration: who registered, and what to do', async () => {
  const harness = await createHarnessWithAdmins();
  const ada = await register(harness, 'ada');
  await harness.runJobs();
  expect(harness.mailer.sentMails).toMatchObject([
    { to: 'root@example.com', subject: 'Registration waiting for approval' },
  ]);
  const text = harness.mailer.sentMails[0]?.text ?? '';
  expect(text).toContain(`${ada.id}  ada@example.com  "Person ada"`);
  expect(text).toContain('POST /api/profiles/{id}/approve');
});

test('registrations within 5 minutes after a notice are in the next one, which is sent after the 5 minutes', async () => {
  const harness = await createHarnessWithAdmins();
  const { clock, mailer } = harness;
  await register(harness, 'ada');
  await harness.runJobs();
  for (const name of ['bob', 'cem', 'dee']) await register(harness, name);
  clock.advance(fiveMinutes - 1);
  await harness.runJobs();
  expect(mailer.sentMails).toHaveLength(1);
  clock.advance(1);
  await harness.runJobs();
  expect(mailer.sentMails.map(({ subject }) => subject)).toEqual([
    'Registration waiting for approval',
    '4 registrations waiting for approval',
  ]);
  expect(new Set(mailer.sentMails.map(({ id }) => id)).size).toBe(2);
  clock.advance(fiveMinutes * 10);
  await harness.runJobs();
  expect(mailer.sentMails).toHaveLength(2);
});

test('a flood of registrations causes one email in 5 minutes, with their number and the newest 20', async () => {
  const harness = await createHarnessWithAdmins();
  const { clock, mailer } = harness;
  await register(harness, 'first');
  await harness.runJobs();
  for (let i = 0; i < 1_000; i += 1) {
    await register(harness, `f${i}`);
    if (i % 100 === 0) await harness.runJobs();
  }
  expect(await countWaiting(harness)).toBe(1);
  clock.advance(fiveMinutes);
  await harness.runJobs();
  expect(mailer.sentMails).toHaveLength(2);
  const { subject, text } = mailer.sentMails[1] ?? { subject: '', text: '' };
  expect(subject).toBe('1001 registrations waiting for approval');
  expect(text).toContain('these are the newest 20:');
  expect(text.match(/@example\.com/g)).toHaveLength(20);
});

test('a registration that arrives while a notice is being sent is in the next one', async () => {
  const harness = await createHarnessWithAdmins();
  const { clock, mailer, ports, useCases } = harness;
  await register(harness, 'ada');
  const [id] = await ports.outbox.listDue('mail.notice', clock.now(), 9);
  if (!id) throw new Error('no notice is waiting');
  const send = mailer.send.bind(mailer);
  const sendAndRegister = async (mail: Parameters<typeof send>[0]) => {
    await send(mail);
    await register(harness, 'bob');
  };
  Object.assign(mailer, { send: sendAndRegister });
  await useCases.workJob(id);
  Object.assign(mailer, { send });
  clock.advance(fiveMinutes);
  await harness.runJobs();
  expect(mailer.sentMails.map(({ subject }) => subject)).toEqual([
    'Registration waiting for approval',
    '2 registrations waiting for approval',
  ]);
});

test('each approved admin gets a notice, and a former admin gets none', async () => {
  const harness = await createHarnessWithAdmins(['root', 'bea', 'cleo']);
  const { clock, mailer, ids, useCases } = harness;
  const sentBefore = mailer.sentMails.length;
  await register(harness, 'ada');
  const [, , cleo] = ids;
  if (!cleo) throw new Error('there is no third admin');
  await useCases.changeRole(authority, cleo, 'client');
  await harness.runJobs();
  clock.advance(fiveMinutes);
  await harness.runJobs();
  expect(
    mailer.sentMails
      .slice(sentBefore)
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['bea@example.com', 'root@example.com']);
});

test('an admin who cannot sign in gets no notice', async () => {
  const harness = await createHarnessWithAdmins();
  const promotedProfile = await register(harness, 'unseen');
  await harness.useCases.changeRole(authority, promotedProfile.id, 'admin');
  await register(harness, 'ada');
  await harness.runJobs();
  expect(harness.mailer.sentMails.map(({ to }) => to)).toEqual(['root@example.com']);
});

test('no notice is sent if every registration has already been decided', async () => {
  const harness = await createHarnessWithAdmins();
  const { id } = await register(harness, 'ada');
  await harness.useCases.rejectProfile(authority, id, null);
  await harness.runJobs();
  expect(harness.mailer.sentMails.map(({ to }) => to)).toEqual(['ada@example.com']);
  // No mail was sent, so the next email does not have to wait.
  await register(harness, 'bob');
  await harness.runJobs();
  expect(harness.mailer.sentMails.at(-1)).toMatchObject({ to: 'root@example.com' });
});

test('a notice that fails temporarily is sent later, once', async () => {
  const harness = await createHarnessWithAdmins();
  const { clock, mailer } = harness;
  mailer.failWith('temporary');
  await register(harness, 'ada');
  for (let i = 0; i < 40; i += 1) {
    await harness.runJobs();
    clock.advance(3_600_000);
  }
  mailer.failWith(null);
  await register(harness, 'bob');
  await harness.runJobs();
  expect(mailer.sentMails.map(({ subject }) => subject)).toEqual(['2 registrations waiting for approval']);
});

test('a permanently rejected notice is one dead letter for any number of registrations', async () => {
  const harness = await createHarnessWithAdmins();
  const { mailer, useCases } = harness;
  mailer.failWith('permanent');
  for (const name of ['ada', 'bob', 'cem']) {
    await register(harness, name);
    await harness.runJobs();
  }
  expect((await useCases.listDeadLetters(9)).deadLetters).toMatchObject([
    { kind: 'mail.notice', secretRemoved: false },
  ]);
  mailer.failWith(null);
  expect(await useCases.requeueJobs(authority)).toBe(1);
  await harness.runJobs();
  expect(mailer.sentMails.map(({ subject }) => subject)).toEqual(['3 registrations waiting for approval']);
});

test('ADMIN_NOTICES=off stops notices: no job is added, and a waiting one sends nothing', async () => {
  const activeHarness = await createHarnessWithAdmins();
  await register(activeHarness, 'ada');
  const harnessWithoutNotices = createHarness({ adminNotices: false }, activeHarness.ports);
  await register(harnessWithoutNotices, 'bob');
  await harnessWithoutNotices.runJobs();
  expect(activeHarness.mailer.sentMails).toEqual([]);
  expect(await countWaiting(activeHarness)).toBe(0);
  const quietHarness = await createHarnessWithAdmins(['root'], { adminNotices: false });
  await register(quietHarness, 'ada');
  expect(await quietHarness.ports.outbox.listDue('mail.notice', Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
});

test('without a mailer, registering a profile adds no job', async () => {
  const { mailer } = createHarness();
  const harness = createHarness({}, { mailer: { ...mailer, enabled: false } });
  await harness.useCases.claimFirstAdmin({ issuer: testIssuer, uid: 'root', email: 'root@example.com' });
  await register(harness, 'ada');
  expect(await countWaiting(harness)).toBe(0);
});
