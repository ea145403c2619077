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
const withAdmins = async (names: readonly string[] = ['root'], settings: Partial<Settings> = {}) => {
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
      groups: null,
    });
    await harness.useCases.changeRole(authority, id, 'admin');
    ids.push(id);
  }
  await harness.runJobs();
  harness.clock.advance(fiveMinutes);
  return { ...harness, ids };
};

const waitingCount = async ({ ports, clock }: Harness) => (await ports.outbox.state(clock.now())).waiting;

test('an admin immediately gets a mail about a registration: who registered, and what to do', async () => {
  const harness = await withAdmins();
  const ada = await register(harness, 'ada');
  await harness.runJobs();
  expect(harness.mailer.sent).toMatchObject([{ to: 'root@example.com', subject: 'Registration waiting for approval' }]);
  const text = harness.mailer.sent[0]?.text ?? '';
  expect(text).toContain(`${ada.id}  ada@example.com  "Person ada"`);
  expect(text).toContain('POST /api/profiles/{id}/approve');
});

test('registrations within 5 minutes of a notice are in the next one, which is sent after the 5 minutes', async () => {
  const harness = await withAdmins();
  const { clock, mailer } = harness;
  await register(harness, 'ada');
  await harness.runJobs();
  for (const name of ['bob', 'cem', 'dee']) await register(harness, name);
  clock.advance(fiveMinutes - 1);
  await harness.runJobs();
  expect(mailer.sent).toHaveLength(1);
  clock.advance(1);
  await harness.runJobs();
  expect(mailer.sent.map(({ subject }) => subject)).toEqual([
    'Registration waiting for approval',
    '4 registrations waiting for approval',
  ]);
  expect(new Set(mailer.sent.map(({ id }) => id)).size).toBe(2);
  clock.advance(fiveMinutes * 10);
  await harness.runJobs();
  expect(mailer.sent).toHaveLength(2);
});

test('a flood of registrations causes one mail in 5 minutes, with their number and the newest 20', async () => {
  const harness = await withAdmins();
  const { clock, mailer } = harness;
  await register(harness, 'first');
  await harness.runJobs();
  for (let at = 0; at < 1_000; at += 1) {
    await register(harness, `f${at}`);
    if (at % 100 === 0) await harness.runJobs();
  }
  expect(await waitingCount(harness)).toBe(1);
  clock.advance(fiveMinutes);
  await harness.runJobs();
  expect(mailer.sent).toHaveLength(2);
  const { subject, text } = mailer.sent[1] ?? { subject: '', text: '' };
  expect(subject).toBe('1001 registrations waiting for approval');
  expect(text).toContain('these are the newest 20:');
  expect(text.match(/@example\.com/g)).toHaveLength(20);
});

test('a registration that arrives while a notice is being sent is in the next one', async () => {
  const harness = await withAdmins();
  const { clock, mailer, ports, useCases } = harness;
  await register(harness, 'ada');
  const [id] = await ports.outbox.due('mail.notice', clock.now(), 9);
  if (!id) throw new Error('no notice waits');
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
  expect(mailer.sent.map(({ subject }) => subject)).toEqual([
    'Registration waiting for approval',
    '2 registrations waiting for approval',
  ]);
});

test('each approved admin gets a notice, and a former admin gets none', async () => {
  const harness = await withAdmins(['root', 'bea', 'cleo']);
  const { clock, mailer, ids, useCases } = harness;
  const before = mailer.sent.length;
  await register(harness, 'ada');
  const [, , cleo] = ids;
  if (!cleo) throw new Error('there is no third admin');
  await useCases.changeRole(authority, cleo, 'client');
  await harness.runJobs();
  clock.advance(fiveMinutes);
  await harness.runJobs();
  expect(
    mailer.sent
      .slice(before)
      .map(({ to }) => to)
      .sort(),
  ).toEqual(['bea@example.com', 'root@example.com']);
});

test('an admin without a possible sign-in gets no notice', async () => {
  const harness = await withAdmins();
  const promoted = await register(harness, 'unseen');
  await harness.useCases.changeRole(authority, promoted.id, 'admin');
  await register(harness, 'ada');
  await harness.runJobs();
  expect(harness.mailer.sent.map(({ to }) => to)).toEqual(['root@example.com']);
});

test('no notice is sent if every registration has already been decided', async () => {
  const harness = await withAdmins();
  const { id } = await register(harness, 'ada');
  await harness.useCases.rejectProfile(authority, id, null);
  await harness.runJobs();
  expect(harness.mailer.sent.map(({ to }) => to)).toEqual(['ada@example.com']);
  // No mail was sent, so the next mail does not have to wait.
  await register(harness, 'bob');
  await harness.runJobs();
  expect(harness.mailer.sent.at(-1)).toMatchObject({ to: 'root@example.com' });
});

test('a notice that fails temporarily is sent later, once', async () => {
  const harness = await withAdmins();
  const { clock, mailer } = harness;
  mailer.failWith('for now');
  await register(harness, 'ada');
  for (let at = 0; at < 40; at += 1) {
    await harness.runJobs();
    clock.advance(3_600_000);
  }
  mailer.failWith(null);
  await register(harness, 'bob');
  await harness.runJobs();
  expect(mailer.sent.map(({ subject }) => subject)).toEqual(['2 registrations waiting for approval']);
});

test('a permanently rejected notice is one dead letter for any number of registrations', async () => {
  const harness = await withAdmins();
  const { mailer, useCases } = harness;
  mailer.failWith('for good');
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
  expect(mailer.sent.map(({ subject }) => subject)).toEqual(['3 registrations waiting for approval']);
});

test('ADMIN_NOTICES=off stops notices: no job is added, and a waiting one sends nothing', async () => {
  const on = await withAdmins();
  await register(on, 'ada');
  const off = createHarness({ adminNotices: false }, on.ports);
  await register(off, 'bob');
  await off.runJobs();
  expect(on.mailer.sent).toEqual([]);
  expect(await waitingCount(on)).toBe(0);
  const quiet = await withAdmins(['root'], { adminNotices: false });
  await register(quiet, 'ada');
  expect(await quiet.ports.outbox.due('mail.notice', Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
});

test('without a mailer, a registration leaves no job', async () => {
  const { mailer } = createHarness();
  const harness = createHarness({}, { mailer: { ...mailer, enabled: false } });
  await harness.useCases.claimFirstAdmin({ issuer: testIssuer, uid: 'root', email: 'root@example.com' });
  await register(harness, 'ada');
  expect(await waitingCount(harness)).toBe(0);
});
