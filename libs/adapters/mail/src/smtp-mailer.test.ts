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
  server,
  start,
  useStoppedTime,
} from '../test/send-by-smtp.ts';
import { failuresMax, probeMaxMs, circuitOpenMs, sendMaxMs, type SmtpMailer } from './smtp-mailer.ts';

describe.each([{ pipelining: true }, { pipelining: false }])('with a server with $pipelining pipelining', (options) => {
  test.each(Object.entries(mailerContract))('%s', async (_sentence, check) => {
    const smtp = await server(options);
    const mailer = mailerAt(smtp.url);
    await check({
      mailer: { enabled: mailer.enabled, send: (mail) => whileTimePasses(mailer.send(mail)) },
      received: async () => smtp.accepted().map(({ envelope, ...mail }) => ({ ...mail, recipients: envelope.to })),
      interrupt: () => smtp.control.stop(),
      resume: () => smtp.control.start(),
    });
  });
});

test('a mail has only its sender, recipient, date and subject', async () => {
  const smtp = await server();
  await whileTimePasses(mailerAt(smtp.url).send(aMail()));
  const [mail] = smtp.accepted();
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
  const smtp = await server();
  const mailer = mailerAt(smtp.url, recordLog(), 'Łukasz 😀 <post@portico.example>');
  await whileTimePasses(mailer.send(aMail({ to: 'jürgen@bücher.example', subject: 'Zugänge für 你好' })));
  expect(smtp.accepted()[0]).toMatchObject({ subject: 'Zugänge für 你好', envelope: { from: 'post@portico.example' } });
  expect(smtp.accepted()[0]?.envelope.to[0]?.normalize()).toMatch(/^jürgen@(bücher|xn--bcher-kva)\.example$/);
});

test('the server gets one sender and one recipient for any subject', async () => {
  const smtp = await server();
  const subject = 'Hello\r\n.\r\nRCPT TO:<eve@example.com>\r\nDATA';
  await whileTimePasses(mailerAt(smtp.url).send(aMail({ subject })));
  expect(smtp.receivedLines().filter((line) => /^(MAIL|RCPT|DATA)/i.test(line))).toEqual([
    'MAIL FROM:<noreply@portico.example>',
    'RCPT TO:<ada@example.com>',
    'DATA',
  ]);
  expect(smtp.accepted()).toHaveLength(1);
});

test('a mail is sent again with the same Message-ID if its connection broke after it was accepted', async () => {
  const smtp = await server();
  const mailer = mailerAt(smtp.url);
  smtp.setScript({ message: 'lose the reply' });
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({ permanent: false });
  expect(smtp.accepted()).toHaveLength(1);
  smtp.setScript({});
  await whileTimePasses(mailer.send(aMail()));
  expect(smtp.accepted().map(({ messageId }) => messageId)).toEqual(['<a1@portico.example>', '<a1@portico.example>']);
});

test('a failed mail is not retried automatically', async () => {
  const smtp = await server();
  smtp.setScript({ message: 'drop' });
  const mailer = mailerAt(smtp.url);
  expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
  smtp.setScript({});
  await whileTimePasses(mailer.send(aMail({ id: 'b2' })));
  expect(smtp.accepted().map(({ messageId }) => messageId)).toEqual(['<b2@portico.example>']);
  expect(smtp.receivedLines().filter((line) => line.startsWith('MAIL'))).toHaveLength(2);
});

test('twenty simultaneous mails all arrive', async () => {
  const smtp = await server();
  const mailer = mailerAt(smtp.url);
  const ids = Array.from({ length: 20 }, (_, at) => `mail-${at}`);
  await whileTimePasses(Promise.all(ids.map((id) => mailer.send(aMail({ id })))));
  expect(
    smtp
      .accepted()
      .map(({ messageId }) => messageId)
      .sort(),
  ).toEqual(ids.map((id) => `<${id}@portico.example>`).sort());
});

const greetings = (heard: readonly string[]) => heard.filter((line) => line.startsWith('EHLO')).length;
const outageMessage = (reason: string) => `The mail server accepts no mails; they wait in the outbox: ${reason}`;
const recoveryMessage = 'The mail server accepts mails again';

describe('the probe', () => {
  test('greets the server without a login, is not essential, and runs rarely', async () => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    const { probe } = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    expect(probe).toMatchObject({ name: 'smtp', essential: false, resultTtlMs: 10_000 });
    await whileTimePasses(probe.check());
    expect(greetings(smtp.receivedLines())).toBe(1);
    expect(smtp.receivedLines().filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
  });

  test.each([
    { script: { greeting: 'hang' }, problem: 'did not answer in time' },
    { script: { ehlo: 'hang' }, problem: 'did not answer in time' },
    { script: { greeting: '554 no mail here for ada@example.com' }, problem: 'is not ready: 554' },
    { script: { ehlo: 'drop' }, problem: 'failed: ECONNECTION' },
  ])('reports a server with this behavior: $script', async ({ script, problem }) => {
    const smtp = await server();
    smtp.setScript(script);
    const hangs = Object.values(script).includes('hang');
    await (hangs ? afterTimeouts : whileTimePasses)(expect(mailerAt(smtp.url).probe.check()).rejects.toThrow(problem));
  });

  test('finishes within 2 seconds, even though sending a mail may take longer', async () => {
    const smtp = await server();
    smtp.setScript({ ehlo: 'hang' });
    const checked = expect(mailerAt(smtp.url).probe.check()).rejects.toThrow('did not answer in time');
    await useStoppedTime().advance(probeMaxMs);
    await checked;
  });

  test('is logged once when it begins to fail, and once when it recovers', async () => {
    const smtp = await server();
    const log = recordLog();
    const { probe } = mailerAt(smtp.url, log);
    await whileTimePasses(probe.check());
    smtp.setScript({ ehlo: '421 4.3.2 closing' });
    for (let n = 0; n < 3; n++) await whileTimePasses(expect(probe.check()).rejects.toThrow('is not ready'));
    smtp.setScript({});
    for (let n = 0; n < 3; n++) await whileTimePasses(probe.check());
    expect(log.messages()).toEqual([outageMessage('The mail server is not ready: 421 4.3.2'), recoveryMessage]);
  });

  test('reports a refused login until one is accepted', async () => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    smtp.setScript({ auth: '535 5.7.8 wrong' });
    expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
    await whileTimePasses(expect(mailer.probe.check()).rejects.toThrow('The mail server refuses the login: 535 5.7.8'));
    smtp.setScript({});
    await whileTimePasses(mailer.send(aMail()));
    await whileTimePasses(mailer.probe.check());
  });
});

describe('the circuit breaker', () => {
  const skippedAfter = (reason: string) => ({
    message: `The mail server failed repeatedly; no mail is tried now: ${reason}`,
    permanent: false,
  });
  const at = async (script: SmtpScript) => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    smtp.setScript(script);
    const log = recordLog();
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off', log);
    return { smtp, mailer, lines: log.messages, untilHalfOpen: () => useStoppedTime().advance(circuitOpenMs) };
  };
  const outcomes = (mailer: SmtpMailer, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => outcomeOf(mailer.send(aMail({ id: `mail-${n}` })))));
  const sendings = (mailer: SmtpMailer, count: number) => whileTimePasses(outcomes(mailer, count));
  const lateSendings = (mailer: SmtpMailer, count: number) => afterTimeouts(outcomes(mailer, count));

  test.each<[string, SmtpScript, string]>([
    ['a login that is refused', { auth: '535 5.7.8 wrong' }, 'The mail server refuses the login: 535 5.7.8'],
    ['a broken connection', { greeting: 'drop' }, 'The connection to the mail server failed: ECONNECTION'],
    ['a hang', { rcpt: 'hang' }, 'The mail server did not answer in time'],
    ['a sender that is refused', { mail: '553 5.1.8 no' }, 'The mail server answered 553 5.1.8 to MAIL FROM'],
    ['a server that closes', { rcpt: '421 4.3.2 no' }, 'The mail server is not ready: 421 4.3.2'],
  ])(
    'opens after five times %s: then a mail fails immediately, and the server gets nothing',
    async (_, script, reason) => {
      const { smtp, mailer, lines } = await at(script);
      const fail = script.rcpt === 'hang' ? lateSendings : sendings;
      expect(await fail(mailer, failuresMax - 1)).toMatchObject(Array(failuresMax - 1).fill({ message: reason }));
      expect(lines()).toEqual([]);
      expect(await fail(mailer, 1)).toMatchObject([{ message: reason }]);
      const before = greetings(smtp.receivedLines());
      smtp.setScript({});
      // Less than the time for which the circuit remains open, because the circuit may have just opened.
      await useStoppedTime().advance(circuitOpenMs - 2_000);
      expect(await outcomes(mailer, 3)).toMatchObject(Array(3).fill(skippedAfter(reason)));
      expect(greetings(smtp.receivedLines())).toBe(before);
      expect(lines()).toEqual([outageMessage(reason)]);
    },
  );

  test('stays closed if only one mail is rejected, which also resets the count of failures', async () => {
    const { smtp, mailer, lines } = await at({ rcpt: '550 5.1.1 no such user' });
    expect(await sendings(mailer, 2 * failuresMax)).toMatchObject(Array(2 * failuresMax).fill({ permanent: true }));
    smtp.setScript({ greeting: 'drop' });
    await sendings(mailer, failuresMax - 1);
    smtp.setScript({ message: '451 4.7.1 grey-listed' });
    await sendings(mailer, 1);
    smtp.setScript({ greeting: 'drop' });
    await sendings(mailer, failuresMax - 1);
    smtp.setScript({});
    expect(await sendings(mailer, 1)).toEqual([null]);
    expect(lines()).toEqual([]);
  });

  test('half-open, tries one mail while the others wait, and sends them if that succeeds', async () => {
    const { smtp, mailer, lines, untilHalfOpen } = await at({ greeting: 'drop' });
    await sendings(mailer, failuresMax);
    await untilHalfOpen();
    await smtp.control.pause();
    smtp.setScript({});
    const sent = outcomes(mailer, 4);
    await smtp.control.resume();
    expect(await whileTimePasses(sent)).toEqual([null, null, null, null]);
    expect(lines()).toEqual([outageMessage('The connection to the mail server failed: ECONNECTION'), recoveryMessage]);
  });

  test('half-open, tries a hanging server with only one mail, and no mail waits beyond its timeout', async () => {
    const { smtp, mailer, untilHalfOpen } = await at({ ehlo: 'drop' });
    await sendings(mailer, failuresMax);
    await untilHalfOpen();
    smtp.setScript({ ehlo: 'hang' });
    const failed = outcomes(mailer, 4);
    await letServerRespond();
    expect(greetings(smtp.receivedLines())).toBe(failuresMax + 1);
    await useStoppedTime().advance(sendMaxMs);
    expect(await failed).toMatchObject(Array(4).fill({ permanent: false }));
  });

  test('a successful check does not end an outage in which no mail is sent', async () => {
    const { smtp, mailer, lines, untilHalfOpen } = await at({ message: 'drop' });
    await sendings(mailer, failuresMax);
    await whileTimePasses(mailer.probe.check());
    await untilHalfOpen();
    await sendings(mailer, failuresMax);
    expect(lines()).toHaveLength(1);
    smtp.setScript({});
    await untilHalfOpen();
    expect(await sendings(mailer, 1)).toEqual([null]);
    expect(lines().slice(1)).toEqual([recoveryMessage]);
  });

  test('logs neither an outage nor its end if mails fail because the mailer is closed', async () => {
    const [first, second] = [await at({ rcpt: 'hang' }), await at({ ehlo: 'drop' })];
    await sendings(second.mailer, failuresMax);
    second.smtp.setScript({ rcpt: 'hang' });
    await second.untilHalfOpen();
    const failed = [outcomes(first.mailer, failuresMax), outcomes(second.mailer, 1)];
    const recipients = ({ smtp }: typeof first) =>
      smtp.receivedLines().filter((line) => line.startsWith('RCPT')).length;
    await letServerRespond();
    expect([recipients(first), recipients(second)]).toEqual([failuresMax, 1]);
    await afterTimeouts(Promise.all([first.mailer.close(), second.mailer.close()]));
    expect((await Promise.all(failed)).flat()).not.toContain(null);
    expect(first.lines()).toEqual([]);
    expect(second.lines()).toEqual([outageMessage('The connection to the mail server failed: ECONNECTION')]);
  });
});

describe('closing', () => {
  test('waits for the mail being sent', async () => {
    const smtp = await server();
    const mailer = mailerAt(smtp.url);
    const sending = outcomeOf(mailer.send(aMail()));
    await whileTimePasses(mailer.close());
    expect(smtp.accepted()).toHaveLength(1);
    expect(await sending).toBeNull();
  });

  test('does not wait for a server that hangs, and sends nothing afterwards', async () => {
    const smtp = await server();
    smtp.setScript({ rcpt: 'hang' });
    const mailer = mailerAt(smtp.url);
    const sending = outcomeOf(mailer.send(aMail()));
    await letServerRespond();
    expect(smtp.receivedLines().join()).toContain('RCPT');
    const closing = mailer.close();
    // Less than the timeout for sending the mail.
    await useStoppedTime().advance(sendMaxMs / 2);
    await closing;
    expect(await sending).toMatchObject({ permanent: false });
    smtp.setScript({});
    expect(await failureOf(mailer.send(aMail()))).toMatchObject({ message: 'The mailer is closed', permanent: false });
    expect(smtp.accepted()).toEqual([]);
  });
});
