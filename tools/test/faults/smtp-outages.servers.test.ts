import { sleepInRealTime, startFaultProxy, startSmtpServer, type FaultMode } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { register } from '../clients.ts';
import { sendEachOperation, createServiceHarness, waitForState, type ServiceHarness } from './service-harness.ts';
import {
  unavailableState,
  countFailures,
  prepareCallers,
  availableState,
  trafficVariables,
  type Callers,
} from './traffic.ts';

const credentials = { user: 'portico', password: 'password-of-smtp-that-nobody-may-read' };

interface SmtpHarness extends ServiceHarness {
  readonly smtp: NonNullable<Awaited<ReturnType<typeof startSmtpServer>>>;
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  readonly callers: Callers;
}

/** Starts a server that requires a login, a proxy in front of it, and the service. */
const setUp = async (): Promise<SmtpHarness> => {
  const smtp = await startSmtpServer({ credentials });
  if (!smtp) throw new Error('A server without TLS can always be started');
  const proxy = await startFaultProxy(smtp);
  onTestFinished(async () => {
    await proxy.close();
    await smtp.close();
  });
  const url = new URL(`${proxy.rewriteUrl(smtp.url)}?tls=off`);
  url.username = credentials.user;
  url.password = credentials.password;
  const harness = createServiceHarness({ ...trafficVariables, SMTP_URL: url.href, ADMIN_NOTICES: 'off' });
  const { time, mint } = harness;
  await harness.start();
  const callers = await time.advanceUntil(mint().then((admin) => prepareCallers(harness.api, admin, mint)));
  return Object.assign(harness, { smtp, proxy, callers });
};

/** The duration of a step, which is shorter than every timeout for an email. */
const stepMs = 500;
const stepsMax = 1_200;

/** Advances time until the check passes, at most ten minutes: a failed mail is retried after 30 s at the earliest. */
const waitUntil = async ({ time }: ServiceHarness, check: () => void): Promise<void> => {
  for (let steps = 1; ; steps++) {
    try {
      return check();
    } catch (error) {
      if (steps === stepsMax) throw error;
    }
    await time.advance(stepMs);
    await sleepInRealTime(5);
  }
};

const approve = async ({ api, time, callers: { admin } }: SmtpHarness, uid: string) => {
  const id = await time.advanceUntil(register(api, uid));
  const response = await time.advanceUntil(api.call(admin, 'POST', `/api/profiles/${id}/approve`));
  expect(response.status).toBe(200);
  return { email: `${uid}@example.com`, secret: (response.body as Record<string, string>).client_secret ?? '' };
};

const mailsTo = ({ smtp }: SmtpHarness, email: string) =>
  smtp.listAccepted().filter(({ envelope }) => envelope.to.includes(email));

const countFailedJobs = ({ readLog }: ServiceHarness): number =>
  readLog().lines.filter(({ msg }) => msg === 'A job failed; retrying later').length;

const readJobCount = async (
  { api: { address } }: ServiceHarness,
  state: 'waiting' | 'given_up',
): Promise<string | undefined> =>
  new RegExp(`^outbox_jobs\\{state="${state}"\\} (\\d+)$`, 'm').exec(
    await (await fetch(`${address}/metrics`)).text(),
  )?.[1];

test.each<FaultMode & string>(['down', 'reset', 'garbage', 'hang'])(
  'with the SMTP server in mode %s approvals work, and each email arrives exactly once after the server is available again',
  async (mode) => {
    const harness = await setUp();
    const { smtp, proxy, time, callers } = harness;
    await waitUntil(harness, () => expect(mailsTo(harness, 'ada@example.com')).toHaveLength(1));
    await proxy.set(mode);
    const { email, secret } = await approve(harness, 'bob');
    await waitUntil(harness, () => expect(countFailedJobs(harness)).toBe(1));
    await waitForState(harness, 'smtp', unavailableState);
    expect(countFailures(await time.advanceUntil(sendEachOperation(harness, callers)))).toEqual({});
    expect(smtp.listAccepted()).toHaveLength(1);
    await proxy.set('pass');
    await waitUntil(harness, () => expect(mailsTo(harness, email)).toHaveLength(1));
    await waitForState(harness, 'smtp', availableState);
    await time.advanceUntilSuccess(async () => expect(await readJobCount(harness, 'waiting')).toBe('0'));
    expect(mailsTo(harness, email).map(({ text }) => text.includes(secret))).toEqual([true]);
    for (const secretText of [secret, credentials.password]) expect(harness.readLog().text).not.toContain(secretText);
  },
);

test('an unacknowledged mail is sent again with the same Message-ID', async () => {
  const harness = await setUp();
  harness.smtp.setScript({ message: 'lose the reply' });
  const { email, secret } = await approve(harness, 'bob');
  await waitUntil(harness, () => expect(mailsTo(harness, email)).toHaveLength(1));
  harness.smtp.setScript({});
  await waitUntil(harness, () => expect(mailsTo(harness, email)).toHaveLength(2));
  const [firstMail, secondMail] = mailsTo(harness, email);
  expect(firstMail?.messageId).toMatch(/^<.+@.+>$/);
  expect(secondMail?.messageId).toBe(firstMail?.messageId);
  expect(mailsTo(harness, email).map(({ text }) => text.includes(secret))).toEqual([true, true]);
});

test('if a recipient is rejected permanently, the operator is notified; if temporarily, the email is sent later', async () => {
  const harness = await setUp();
  const { smtp } = harness;
  await waitUntil(harness, () => expect(mailsTo(harness, 'ada@example.com')).toHaveLength(1));
  smtp.setScript({ rcpt: '550 5.1.1 no such user' });
  const rejectedClient = await approve(harness, 'refused');
  await waitUntil(harness, () =>
    expect(harness.listWarnings()).toContain('A job was given up: see "portico jobs list"'),
  );
  expect(harness.readLog().text).toContain('The mail server answered 550 5.1.1 to RCPT TO');
  expect(await readJobCount(harness, 'given_up')).toBe('1');

  smtp.setScript({ rcpt: '451 4.3.0 not now' });
  const postponedClient = await approve(harness, 'postponed');
  await waitUntil(harness, () => expect(countFailedJobs(harness)).toBe(1));
  expect(await readJobCount(harness, 'waiting')).toBe('1');
  smtp.setScript({});
  await waitUntil(harness, () => expect(mailsTo(harness, postponedClient.email)).toHaveLength(1));
  expect(mailsTo(harness, rejectedClient.email)).toEqual([]);
  for (const secretText of [rejectedClient.secret, postponedClient.secret, credentials.password]) {
    expect(harness.readLog().text).not.toContain(secretText);
  }
});
