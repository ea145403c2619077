import { expect, test } from 'vitest';
import { operatorAuthority, toIso, type Profile, type ProfileId } from '@portico/domain';
import { createFixtures } from './fixtures.ts';
import { createHarness, type Harness } from './harness.ts';

const authority = operatorAuthority;

const register = ({ useCases }: Harness, uid: string, fullName = uid) =>
  useCases.registerProfile({ uid, email: `${uid}@example.com`, fullName, companyName: null }, null, null);

/** Returns the texts of the emails sent to this user. */
const listTextsTo = ({ mailer }: Harness, uid: string) =>
  mailer.sentMails.filter(({ to }) => to === `${uid}@example.com`).map(({ text }) => text);

test('a secret that an admin rotates is mailed to its owner, with the end of the grace period', async () => {
  const harness = createHarness();
  const { useCases, clock } = harness;
  const ada = await register(harness, 'ada');
  const firstCredentials = await useCases.approveProfile(authority, ada.id);
  await harness.runJobs();
  const secondCredentials = await useCases.rotateCredentials(authority, ada.id, 0);
  await harness.runJobs();
  const thirdCredentials = await useCases.rotateCredentials(authority, ada.id, 3_600);
  await harness.runJobs();
  const [approval, rotation, gracePeriodText, ...otherTexts] = listTextsTo(harness, 'ada');
  expect(otherTexts).toEqual([]);
  expect(approval).toContain(`client_secret: ${firstCredentials.secret}`);
  expect(rotation).toContain(`client_id: ${secondCredentials.clientId}\nclient_secret: ${secondCredentials.secret}`);
  expect(rotation).toContain('Your previous secret no longer works.');
  expect(gracePeriodText).toContain(`client_secret: ${thirdCredentials.secret}`);
  expect(gracePeriodText).toContain(
    `works until ${toIso(clock.now() + 3_600_000)
      .slice(0, 16)
      .replace('T', ' ')} UTC`,
  );
});

test('emails contain the public URL of the service if it is set', async () => {
  const serviceUrl = 'https://portico.example.com';
  for (const publicUrl of [serviceUrl, null]) {
    const harness = createHarness({ publicUrl });
    const fixtures = await createFixtures(harness);
    await fixtures.approveClient('ada');
    await harness.useCases.rejectProfile(fixtures.authority, (await register(harness, 'bob')).id, null);
    await register(harness, 'eve');
    await harness.runJobs();
    const { sentMails } = harness.mailer;
    expect(new Set(sentMails.map(({ name }) => name))).toEqual(new Set(['credentials', 'rejection', 'waiting']));
    for (const mail of sentMails) {
      expect(mail.data).toMatchObject({ address: publicUrl });
      expect(mail.text.includes(`${serviceUrl}/console/`)).toBe(publicUrl !== null);
    }
  }
});

test('the secret of a rotation is sealed in its own job', async () => {
  const { ports, useCases, ...harness } = createHarness();
  const ada = await register({ ports, useCases, ...harness }, 'ada');
  await useCases.approveProfile(authority, ada.id);
  const { secret } = await useCases.rotateCredentials(authority, ada.id, 0);
  const sealed = await ports.outbox.listSealed();
  expect(sealed).toHaveLength(2);
  for (const job of sealed) expect(job.sealed).not.toContain(secret);
  const [id] = await ports.outbox.listDue('mail.rotation', harness.clock.now(), 9);
  if (!id) throw new Error('no mail is waiting');
  expect(await ports.outbox.claim(id, harness.clock.now(), harness.clock.now() + 1)).toMatchObject({
    task: { kind: 'mail.rotation', profileId: ada.id },
  });
});

test('a secret that was replaced while its email waited is not mailed', async () => {
  const harness = createHarness();
  const { useCases, mailer, clock } = harness;
  const ada = await register(harness, 'ada');
  mailer.failWith('temporary');
  await useCases.approveProfile(authority, ada.id);
  await harness.runJobs();
  await useCases.rotateCredentials(authority, ada.id, 0);
  mailer.failWith(null);
  const lastCredentials = await useCases.rotateCredentials(authority, ada.id, 3_600);
  await harness.runJobs();
  clock.advance(86_400_000);
  await harness.runJobs();
  const [text, ...otherTexts] = listTextsTo(harness, 'ada');
  expect(text).toContain(`client_secret: ${lastCredentials.secret}`);
  expect(otherTexts).toEqual([]);
  expect((await useCases.listDeadLetters(9)).waiting).toBe(0);
});

test('a delayed mail is not sent if its decision was reversed in the meantime', async () => {
  const harness = createHarness({ adminNotices: false });
  const { useCases, runJobs, mailer } = harness;
  const { id: ada } = await register(harness, 'ada');
  const { id: bob } = await register(harness, 'bob');
  await useCases.approveProfile(authority, bob);
  await runJobs();
  const runAndListMails = async () => {
    const sentBefore = mailer.sentMails.length;
    await runJobs();
    return mailer.sentMails.slice(sentBefore).map(({ name, to }) => `${name} to ${to}`);
  };
  await useCases.rejectProfile(authority, ada, 'By mistake');
  await useCases.reopenRegistration(authority, ada);
  await useCases.suspendProfile(authority, bob, 'By mistake');
  await useCases.resumeProfile(authority, bob);
  expect(await runAndListMails()).toEqual(['resumption to bob@example.com']);
  await useCases.suspendProfile(authority, bob, null);
  await runJobs();
  await useCases.resumeProfile(authority, bob);
  await useCases.suspendProfile(authority, bob, null);
  expect(await runAndListMails()).toEqual(['suspension to bob@example.com']);
  await useCases.rejectProfile(authority, ada, null);
  expect(await runAndListMails()).toEqual(['rejection to ada@example.com']);
});

test('a secret that a client rotates itself is not mailed', async () => {
  const harness = createHarness();
  const { ports, useCases } = harness;
  const { id, uid } = await register(harness, 'ada');
  await useCases.approveProfile(authority, id);
  await harness.runJobs();
  const row = await ports.callers.findByUid(uid, null, Date.now());
  if (!row) throw new Error('there is no profile');
  await useCases.rotateOwnCredentials(row as unknown as Parameters<typeof useCases.rotateOwnCredentials>[0], 0);
  expect((await ports.outbox.readState(harness.clock.now())).waiting).toBe(0);
});

test('without a mailer, rotating credentials adds no job', async () => {
  const { mailer } = createHarness();
  const harness = createHarness({}, { mailer: { ...mailer, enabled: false } });
  const ada = await register(harness, 'ada');
  await harness.useCases.approveProfile(authority, ada.id);
  await harness.useCases.rotateCredentials(authority, ada.id, 0);
  expect((await harness.ports.outbox.readState(harness.clock.now())).waiting).toBe(0);
});

const createOldProfile = (fields: Partial<Pick<Profile, 'id' | 'uid' | 'email'>>): Profile => ({
  id: '00000000-0000-4000-8000-000000000001' as ProfileId,
  email: 'victim@bank.example',
  fullName: 'Customer,\r\n\r\nYour account was locked. Sign in at https://evil.example/login to keep it.\r\n\r\n',
  companyName: 'Bank\u2028\u2028Pay at https://evil.example',
  role: 'client',
  status: 'pending',
  uid: 'mallory',
  issuer: null,
  clientId: null,
  tier: null,
  suspendedAt: null,
  createdAt: 0,
  updatedAt: 0,
  approvedAt: null,
  ...fields,
});

test('emails to the owner of an address do not contain names that a stranger wrote into an old row', async () => {
  const harness = createHarness();
  const { ports, useCases, mailer } = harness;
  const otherId = '00000000-0000-4000-8000-000000000002' as ProfileId;
  const noEffects = { deadline: null };
  await ports.profiles.add(createOldProfile({}), noEffects);
  await ports.profiles.add(createOldProfile({ id: otherId, email: 'other@bank.example', uid: 'm2' }), noEffects);
  await useCases.approveProfile(authority, createOldProfile({}).id);
  await harness.runJobs();
  await useCases.rotateCredentials(authority, createOldProfile({}).id, 0);
  await useCases.rejectProfile(authority, otherId, null);
  await harness.runJobs();
  expect(mailer.sentMails).toHaveLength(3);
  for (const { text, html } of mailer.sentMails) {
    expect(text.split('\n')[0]).toBe('Hello,');
    for (const body of [text, html]) expect(body).not.toMatch(/evil|locked|Bank/);
  }
});

test('an email for an old row with two addresses is given up, and is sent to neither', async () => {
  const harness = createHarness();
  const { ports, useCases, mailer } = harness;
  const email = 'a@bank.example\r\nBcc: b@bank.example';
  await ports.profiles.add(createOldProfile({ email }), { deadline: null });
  await useCases.rejectProfile(authority, createOldProfile({}).id, null);
  await harness.runJobs();
  expect(mailer.sentMails).toEqual([]);
  expect((await useCases.listDeadLetters(9)).deadLetters).toMatchObject([{ kind: 'mail.rejection' }]);
});
