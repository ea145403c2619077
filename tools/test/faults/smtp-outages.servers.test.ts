import { sleepInRealTime, startFaultProxy, startSmtpServer, type FaultMode } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { register } from '../clients.ts';
import { askEverything, openStage, untilStateIs, type Stage as Service } from './stage.ts';
import { away, failures, prepareSenders, present, trafficVariables, type Senders } from './traffic.ts';

const credentials = { user: 'portico', password: 'password-of-smtp-that-nobody-may-read' };

interface Stage extends Service {
  readonly smtp: NonNullable<Awaited<ReturnType<typeof startSmtpServer>>>;
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  readonly senders: Senders;
}

/** A server that requires a login, a proxy in front of it, and the service. */
const open = async (): Promise<Stage> => {
  const smtp = await startSmtpServer({ credentials });
  if (!smtp) throw new Error('A server without TLS needs nothing');
  const proxy = await startFaultProxy(smtp);
  onTestFinished(async () => {
    await proxy.close();
    await smtp.close();
  });
  const url = new URL(`${proxy.through(smtp.url)}?tls=off`);
  url.username = credentials.user;
  url.password = credentials.password;
  const service = openStage({ ...trafficVariables, SMTP_URL: url.href, ADMIN_NOTICES: 'off' });
  const { time, mint } = service;
  await service.start();
  const senders = await time.passUntil(mint().then((admin) => prepareSenders(service.api, admin, mint)));
  return Object.assign(service, { smtp, proxy, senders });
};

/** Less than any limit of a mail. */
const stepMs = 500;
const stepsMax = 1_200;

/** Lets time pass until it holds, ten minutes at most: a failed mail waits for 30 s before its first retry. */
const until = async ({ time }: Service, check: () => void): Promise<void> => {
  for (let steps = 1; ; steps++) {
    try {
      return check();
    } catch (error) {
      if (steps === stepsMax) throw error;
    }
    await time.pass(stepMs);
    await sleepInRealTime(5);
  }
};

const approve = async ({ api, time, senders: { admin } }: Stage, uid: string) => {
  const id = await time.passUntil(register(api, uid));
  const answer = await time.passUntil(api.call(admin, 'POST', `/api/profiles/${id}/approve`));
  expect(answer.status).toBe(200);
  return { email: `${uid}@example.com`, secret: (answer.body as Record<string, string>).client_secret ?? '' };
};

const mailsTo = ({ smtp }: Stage, email: string) => smtp.taken().filter(({ envelope }) => envelope.to.includes(email));

const failedJobs = ({ log }: Service): number =>
  log().lines.filter(({ msg }) => msg === 'A job failed; retrying later').length;

const jobsIn = async ({ api: { address } }: Service, state: 'waiting' | 'given_up'): Promise<string | undefined> =>
  new RegExp(`^outbox_jobs\\{state="${state}"\\} (\\d+)$`, 'm').exec(
    await (await fetch(`${address}/metrics`)).text(),
  )?.[1];

test.each<FaultMode & string>(['down', 'reset', 'garbage', 'hang'])(
  'under %s of the SMTP server approvals work, and each mail arrives once, when the server is back',
  async (mode) => {
    const stage = await open();
    const { smtp, proxy, time, senders } = stage;
    await until(stage, () => expect(mailsTo(stage, 'ada@example.com')).toHaveLength(1));
    await proxy.set(mode);
    const { email, secret } = await approve(stage, 'bob');
    await until(stage, () => expect(failedJobs(stage)).toBe(1));
    await untilStateIs(stage, 'smtp', away);
    expect(failures(await time.passUntil(askEverything(stage, senders)))).toEqual({});
    expect(smtp.taken()).toHaveLength(1);
    await proxy.set('pass');
    await until(stage, () => expect(mailsTo(stage, email)).toHaveLength(1));
    await untilStateIs(stage, 'smtp', present);
    await time.passUntilSucceeds(async () => expect(await jobsIn(stage, 'waiting')).toBe('0'));
    expect(mailsTo(stage, email).map(({ text }) => text.includes(secret))).toEqual([true]);
    for (const hidden of [secret, credentials.password]) expect(stage.log().text).not.toContain(hidden);
  },
);

test('an SMTP server that is lost before it acknowledges a mail gets it again, with the same Message-ID', async () => {
  const stage = await open();
  stage.smtp.play({ message: 'lose the reply' });
  const { email, secret } = await approve(stage, 'bob');
  await until(stage, () => expect(mailsTo(stage, email)).toHaveLength(1));
  stage.smtp.play({});
  await until(stage, () => expect(mailsTo(stage, email)).toHaveLength(2));
  const [first, second] = mailsTo(stage, email);
  expect(first?.messageId).toMatch(/^<.+@.+>$/);
  expect(second?.messageId).toBe(first?.messageId);
  expect(mailsTo(stage, email).map(({ text }) => text.includes(secret))).toEqual([true, true]);
});

test('a recipient may be refused: permanently, and the operator is told; temporarily, and the mail waits', async () => {
  const stage = await open();
  const { smtp } = stage;
  await until(stage, () => expect(mailsTo(stage, 'ada@example.com')).toHaveLength(1));
  smtp.play({ rcpt: '550 5.1.1 no such user' });
  const refused = await approve(stage, 'refused');
  await until(stage, () => expect(stage.warnings()).toContain('A job was given up: see "portico jobs list"'));
  expect(stage.log().text).toContain('The mail server answered 550 5.1.1 to RCPT TO');
  expect(await jobsIn(stage, 'given_up')).toBe('1');

  smtp.play({ rcpt: '451 4.3.0 not now' });
  const postponed = await approve(stage, 'postponed');
  await until(stage, () => expect(failedJobs(stage)).toBe(1));
  expect(await jobsIn(stage, 'waiting')).toBe('1');
  smtp.play({});
  await until(stage, () => expect(mailsTo(stage, postponed.email)).toHaveLength(1));
  expect(mailsTo(stage, refused.email)).toEqual([]);
  for (const hidden of [refused.secret, postponed.secret, credentials.password]) {
    expect(stage.log().text).not.toContain(hidden);
  }
});
