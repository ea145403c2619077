import { mailerContract, recordLog } from '@portico/contracts';
import type { SmtpScript } from '@portico/test-servers';
import { describe, expect, test } from 'vitest';
import {
  aMail,
  letServerRespond,
  failureOf,
  mailerAt,
  outcomeOf,
  whileTimePasses,
  afterTimeouts,
  sender,
  startServer,
  start,
  useStoppedTime,
} from '../test/send-by-smtp.ts';
import { failuresMax, probeTimeoutMs, circuitOpenMs, sendTimeoutMs, type SmtpMailer } from './smtp-mailer.ts';

describe.each([{ pipelining: true }, { pipelining: false }])('with pipelining: $pipelining', (options) => {
  test.each(Object.entries(mailerContract))('%s', async (_sentence, check) => {
    const smtp = await startServer(options);
    const mailer = mailerAt(smtp.url);
    await check({
      mailer: { enabled: mailer.enabled, send: (mail) => whileTimePasses(mailer.send(mail)) },
      listReceived: async () =>
        smtp.listAccepted().map(({ envelope, ...mail }) => ({ ...mail, recipients: envelope.to })),
      interrupt: () => smtp.control.stop(),
      resume: () => smtp.control.start(),
    });
  });
});

test('an email has only its sender, recipient, date and subject', async () => {
  const smtp = await startServer();
  await whileTimePasses(mailerAt(smtp.url).send(aMail()));
  const [mail] = smtp.listAccepted();
  const { 'content-type': contentType, ...headers } = Object.fromEntries(mail?.headers ?? []);
  expect(contentType).toMatch(/^multipart\/alternative;/);
  expect(headers).toEqual({
    from: sender,
    to: 'ada@example.com',
    subject: 'Your API credentials',
    'message-id': '<a1@portico.example>',
    date: new Date(start).toUTCString().replace('GMT', '+0000'),
    'mime-version': '1.0',
    'auto-submitted': 'auto-generated',
  });
  expect(mail?.envelope).toEqual({ from: 'noreply@portico.example', to: ['ada@example.com'] });
});

test('names and addresses in any script reach a server that accepts them', async () => {
  const smtp = await startServer();
  const mailer = mailerAt(smtp.url, recordLog(), 'Łukasz 😀 <post@portico.example>');
  await whileTimePasses(mailer.send(aMail({ to: 'jürgen@bücher.example', subject: 'Zugänge für 你好' })));
  expect(smtp.listAccepted()[0]).toMatchObject({
    subject: 'Zugänge für 你好',
    envelope: { from: 'post@portico.example' },
  });
  expect(smtp.listAccepted()[0]?.envelope.to[0]?.normalize()).toMatch(/^jürgen@(bücher|xn--bcher-kva)\.example$/);
});

test('the server gets one sender and one recipient for any subject', async () => {
  const smtp = await startServer();
  const subject = 'Hello\r\n.\r\nRCPT TO:<eve@example.com>\r\nDATA';
  await whileTimePasses(mailerAt(smtp.url).send(aMail({ subject })));
  expect(smtp.listReceivedLines().filter((line) => /^(MAIL|RCPT|DATA)/i.test(line))).toEqual([
    'MAIL FROM:<noreply@portico.example>',
    'RCPT TO:<ada@example.com>',
    'DATA',
  ]);
  expect(smtp.listAccepted()).toHaveLength(1);
});

test('an email is sent again with the same Message-ID if the connection broke after the email was accepted', async () => {
  const smtp = await startServer();
  const mailer = mailerAt(smtp.url);
  smtp.setScript({ message: 'lose the reply' });
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({ permanent: false });
  expect(smtp.listAccepted()).toHaveLength(1);
  smtp.setScript({});
  await whileTimePasses(mailer.send(aMail()));
  expect(smtp.listAccepted().map(({ messageId }) => messageId)).toEqual([
    '<a1@portico.example>',
    '<a1@portico.example>',
  ]);
});

test('a failed mail is not retried automatically', async () => {
  const smtp = await startServer();
  smtp.setScript({ message: 'drop' });
  const mailer = mailerAt(smtp.url);
  expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
  smtp.setScript({});
  await whileTimePasses(mailer.send(aMail({ id: 'b2' })));
  expect(smtp.listAccepted().map(({ messageId }) => messageId)).toEqual(['<b2@portico.example>']);
  expect(smtp.listReceivedLines().filter((line) => line.startsWith('MAIL'))).toHaveLength(2);
});

test('twenty simultaneous emails all arrive', async () => {
  const smtp = await startServer();
  const mailer = mailerAt(smtp.url);
  const ids = Array.from({ length: 20 }, (_, index) => `mail-${index}`);
  await whileTimePasses(Promise.all(ids.map((id) => mailer.send(aMail({ id })))));
  expect(
    smtp
      .listAccepted()
      .map(({ messageId }) => messageId)
      .sort(),
  ).toEqual(ids.map((id) => `<${id}@portico.example>`).sort());
});

const countGreetings = (receivedLines: readonly string[]) =>
  receivedLines.filter((line) => line.startsWith('EHLO')).length;
const outageMessage = (reason: string) => `The mail server accepts no emails; they wait in the outbox: ${reason}`;
const recoveryMessage = 'The mail server accepts emails again';

describe('the probe', () => {
  test('greets the server without a login, is not essential, and runs rarely', async () => {
    const smtp = await startServer({ credentials: { user: 'portico', password: 'secret' } });
    const { probe } = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    expect(probe).toMatchObject({ name: 'smtp', essential: false, resultTtlMs: 10_000 });
    await whileTimePasses(probe.check());
    expect(countGreetings(smtp.listReceivedLines())).toBe(1);
    expect(smtp.listReceivedLines().filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
  });

  test.each([
    { script: { greeting: 'hang' }, problem: 'did not respond in time' },
    { script: { ehlo: 'hang' }, problem: 'did not respond in time' },
    { script: { greeting: '554 no mail here for ada@example.com' }, problem: 'is not ready: 554' },
    { script: { ehlo: 'drop' }, problem: 'failed: ECONNECTION' },
  ])('reports a server with this behavior: $script', async ({ script, problem }) => {
    const smtp = await startServer();
    smtp.setScript(script);
    const isHanging = Object.values(script).includes('hang');
    await (isHanging ? afterTimeouts : whileTimePasses)(
      expect(mailerAt(smtp.url).probe.check()).rejects.toThrow(problem),
    );
  });

  test('finishes within 2 seconds, even though sending an email may take longer', async () => {
    const smtp = await startServer();
    smtp.setScript({ ehlo: 'hang' });
    const rejection = expect(mailerAt(smtp.url).probe.check()).rejects.toThrow('did not respond in time');
    await useStoppedTime().advance(probeTimeoutMs);
    await rejection;
  });

  test('is logged once when it begins to fail, and once when it recovers', async () => {
    const smtp = await startServer();
    const log = recordLog();
    const { probe } = mailerAt(smtp.url, log);
    await whileTimePasses(probe.check());
    smtp.setScript({ ehlo: '421 4.3.2 closing' });
    for (let n = 0; n < 3; n++) await whileTimePasses(expect(probe.check()).rejects.toThrow('is not ready'));
    smtp.setScript({});
    for (let n = 0; n < 3; n++) await whileTimePasses(probe.check());
    expect(log.messages()).toEqual([outageMessage('The mail server is not ready: 421 4.3.2'), recoveryMessage]);
  });

  test('reports a rejected login until a login is accepted', async () => {
    const smtp = await startServer({ credentials: { user: 'portico', password: 'secret' } });
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    smtp.setScript({ auth: '535 5.7.8 wrong' });
    expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
    await whileTimePasses(expect(mailer.probe.check()).rejects.toThrow('The mail server rejects the login: 535 5.7.8'));
    smtp.setScript({});
    await whileTimePasses(mailer.send(aMail()));
    await whileTimePasses(mailer.probe.check());
  });
});

describe('the circuit breaker', () => {
  const circuitOpenError = (reason: string) => ({
    message: `The mail server failed repeatedly; sending is paused: ${reason}`,
    permanent: false,
  });
  const openMailer = async (script: SmtpScript) => {
    const smtp = await startServer({ credentials: { user: 'portico', password: 'secret' } });
    smtp.setScript(script);
    const log = recordLog();
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off', log);
    return { smtp, mailer, lines: log.messages, waitUntilHalfOpen: () => useStoppedTime().advance(circuitOpenMs) };
  };
  const startSending = (mailer: SmtpMailer, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => outcomeOf(mailer.send(aMail({ id: `mail-${n}` })))));
  const sendMany = (mailer: SmtpMailer, count: number) => whileTimePasses(startSending(mailer, count));
  const sendManyUntilTimeout = (mailer: SmtpMailer, count: number) => afterTimeouts(startSending(mailer, count));

  test.each<[string, SmtpScript, string]>([
    ['a login that is rejected', { auth: '535 5.7.8 wrong' }, 'The mail server rejects the login: 535 5.7.8'],
    ['a broken connection', { greeting: 'drop' }, 'The connection to the mail server failed: ECONNECTION'],
    ['a hang', { rcpt: 'hang' }, 'The mail server did not respond in time'],
    ['a sender that is rejected', { mail: '553 5.1.8 no' }, 'The mail server answered 553 5.1.8 to MAIL FROM'],
    ['a server that closes', { rcpt: '421 4.3.2 no' }, 'The mail server is not ready: 421 4.3.2'],
  ])(
    'opens after %s five times: then emails fail immediately, and nothing is sent to the server',
    async (_, script, reason) => {
      const { smtp, mailer, lines } = await openMailer(script);
      const sendAndFail = script.rcpt === 'hang' ? sendManyUntilTimeout : sendMany;
      expect(await sendAndFail(mailer, failuresMax - 1)).toMatchObject(
        Array(failuresMax - 1).fill({ message: reason }),
      );
      expect(lines()).toEqual([]);
      expect(await sendAndFail(mailer, 1)).toMatchObject([{ message: reason }]);
      const greetingsBefore = countGreetings(smtp.listReceivedLines());
      smtp.setScript({});
      // Less than the time for which the circuit remains open, because the circuit may have just opened.
      await useStoppedTime().advance(circuitOpenMs - 2_000);
      expect(await startSending(mailer, 3)).toMatchObject(Array(3).fill(circuitOpenError(reason)));
      expect(countGreetings(smtp.listReceivedLines())).toBe(greetingsBefore);
      expect(lines()).toEqual([outageMessage(reason)]);
    },
  );

  test('remains closed if only single emails are rejected, which also resets the count of failures', async () => {
    const { smtp, mailer, lines } = await openMailer({ rcpt: '550 5.1.1 no such user' });
    expect(await sendMany(mailer, 2 * failuresMax)).toMatchObject(Array(2 * failuresMax).fill({ permanent: true }));
    smtp.setScript({ greeting: 'drop' });
    await sendMany(mailer, failuresMax - 1);
    smtp.setScript({ message: '451 4.7.1 grey-listed' });
    await sendMany(mailer, 1);
    smtp.setScript({ greeting: 'drop' });
    await sendMany(mailer, failuresMax - 1);
    smtp.setScript({});
    expect(await sendMany(mailer, 1)).toEqual([null]);
    expect(lines()).toEqual([]);
  });

  test('when half-open, tries one email while the others wait, and sends them if that succeeds', async () => {
    const { smtp, mailer, lines, waitUntilHalfOpen } = await openMailer({ greeting: 'drop' });
    await sendMany(mailer, failuresMax);
    await waitUntilHalfOpen();
    await smtp.control.pause();
    smtp.setScript({});
    const pendingOutcomes = startSending(mailer, 4);
    await smtp.control.resume();
    expect(await whileTimePasses(pendingOutcomes)).toEqual([null, null, null, null]);
    expect(lines()).toEqual([outageMessage('The connection to the mail server failed: ECONNECTION'), recoveryMessage]);
  });

  test('when half-open, tries a hanging server with only one email, and no mail waits beyond its timeout', async () => {
    const { smtp, mailer, waitUntilHalfOpen } = await openMailer({ ehlo: 'drop' });
    await sendMany(mailer, failuresMax);
    await waitUntilHalfOpen();
    smtp.setScript({ ehlo: 'hang' });
    const pendingOutcomes = startSending(mailer, 4);
    await letServerRespond();
    expect(countGreetings(smtp.listReceivedLines())).toBe(failuresMax + 1);
    await useStoppedTime().advance(sendTimeoutMs);
    expect(await pendingOutcomes).toMatchObject(Array(4).fill({ permanent: false }));
  });

  test('a successful check does not end an outage if no mail can be sent', async () => {
    const { smtp, mailer, lines, waitUntilHalfOpen } = await openMailer({ message: 'drop' });
    await sendMany(mailer, failuresMax);
    await whileTimePasses(mailer.probe.check());
    await waitUntilHalfOpen();
    await sendMany(mailer, failuresMax);
    expect(lines()).toHaveLength(1);
    smtp.setScript({});
    await waitUntilHalfOpen();
    expect(await sendMany(mailer, 1)).toEqual([null]);
    expect(lines().slice(1)).toEqual([recoveryMessage]);
  });

  test('logs neither an outage nor its end if emails fail because the mailer is closed', async () => {
    const [hangingSetup, halfOpenSetup] = [await openMailer({ rcpt: 'hang' }), await openMailer({ ehlo: 'drop' })];
    await sendMany(halfOpenSetup.mailer, failuresMax);
    halfOpenSetup.smtp.setScript({ rcpt: 'hang' });
    await halfOpenSetup.waitUntilHalfOpen();
    const pendingOutcomes = [startSending(hangingSetup.mailer, failuresMax), startSending(halfOpenSetup.mailer, 1)];
    const countRecipients = ({ smtp }: typeof hangingSetup) =>
      smtp.listReceivedLines().filter((line) => line.startsWith('RCPT')).length;
    await letServerRespond();
    expect([countRecipients(hangingSetup), countRecipients(halfOpenSetup)]).toEqual([failuresMax, 1]);
    await afterTimeouts(Promise.all([hangingSetup.mailer.close(), halfOpenSetup.mailer.close()]));
    expect((await Promise.all(pendingOutcomes)).flat()).not.toContain(null);
    expect(hangingSetup.lines()).toEqual([]);
    expect(halfOpenSetup.lines()).toEqual([outageMessage('The connection to the mail server failed: ECONNECTION')]);
  });
});

describe('closing', () => {
  test('waits for the email being sent', async () => {
    const smtp = await startServer();
    const mailer = mailerAt(smtp.url);
    const pendingOutcome = outcomeOf(mailer.send(aMail()));
    await whileTimePasses(mailer.close());
    expect(smtp.listAccepted()).toHaveLength(1);
    expect(await pendingOutcome).toBeNull();
  });

  test('does not wait for a server that hangs, and sends nothing afterwards', async () => {
    const smtp = await startServer();
    smtp.setScript({ rcpt: 'hang' });
    const mailer = mailerAt(smtp.url);
    const pendingOutcome = outcomeOf(mailer.send(aMail()));
    await letServerRespond();
    expect(smtp.listReceivedLines().join()).toContain('RCPT');
    const closing = mailer.close();
    // Less than the timeout for sending the email.
    await useStoppedTime().advance(sendTimeoutMs / 2);
    await closing;
    expect(await pendingOutcome).toMatchObject({ permanent: false });
    smtp.setScript({});
    expect(await failureOf(mailer.send(aMail()))).toMatchObject({ message: 'The mailer is closed', permanent: false });
    expect(smtp.listAccepted()).toEqual([]);
  });
});
