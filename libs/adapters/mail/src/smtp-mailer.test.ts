import { mailerContract, recordLog } from '@portico/contracts';
import type { SmtpScript } from '@portico/test-servers';
import { describe, expect, test } from 'vitest';
import {
  aMail,
  exchange,
  failureOf,
  mailerAt,
  outcomeOf,
  passing,
  passingLimits,
  sender,
  server,
  start,
  stoppedTime,
} from '../test/send-by-smtp.ts';
import { failuresMax, probeMaxMs, restMs, sendMaxMs, type SmtpMailer } from './smtp-mailer.ts';

describe.each([{ pipelining: true }, { pipelining: false }])('with a server with $pipelining pipelining', (options) => {
  test.each(Object.entries(mailerContract))('%s', async (_sentence, check) => {
    const smtp = await server(options);
    const mailer = mailerAt(smtp.url);
    await check({
      mailer: { enabled: mailer.enabled, send: (mail) => passing(mailer.send(mail)) },
      received: async () => smtp.taken().map(({ envelope, ...mail }) => ({ ...mail, recipients: envelope.to })),
      interrupt: () => smtp.control.stop(),
      resume: () => smtp.control.start(),
    });
  });
});

test('a mail states its sender, recipient, date and subject, and no more', async () => {
  const smtp = await server();
  await passing(mailerAt(smtp.url).send(aMail()));
  const [mail] = smtp.taken();
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
  await passing(mailer.send(aMail({ to: 'jürgen@bücher.example', subject: 'Zugänge für 你好' })));
  expect(smtp.taken()[0]).toMatchObject({ subject: 'Zugänge für 你好', envelope: { from: 'post@portico.example' } });
  expect(smtp.taken()[0]?.envelope.to[0]?.normalize()).toMatch(/^jürgen@(bücher|xn--bcher-kva)\.example$/);
});

test('the server gets one sender and one recipient, whatever the subject contains', async () => {
  const smtp = await server();
  const subject = 'Hello\r\n.\r\nRCPT TO:<eve@example.com>\r\nDATA';
  await passing(mailerAt(smtp.url).send(aMail({ subject })));
  expect(smtp.heard().filter((line) => /^(MAIL|RCPT|DATA)/i.test(line))).toEqual([
    'MAIL FROM:<noreply@portico.example>',
    'RCPT TO:<ada@example.com>',
    'DATA',
  ]);
  expect(smtp.taken()).toHaveLength(1);
});

test('a mail whose connection broke after it was accepted is sent again with the same Message-ID', async () => {
  const smtp = await server();
  const mailer = mailerAt(smtp.url);
  smtp.play({ message: 'lose the reply' });
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({ permanent: false });
  expect(smtp.taken()).toHaveLength(1);
  smtp.play({});
  await passing(mailer.send(aMail()));
  expect(smtp.taken().map(({ messageId }) => messageId)).toEqual(['<a1@portico.example>', '<a1@portico.example>']);
});

test('a failed mail is not retried by itself', async () => {
  const smtp = await server();
  smtp.play({ message: 'drop' });
  const mailer = mailerAt(smtp.url);
  expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
  smtp.play({});
  await passing(mailer.send(aMail({ id: 'b2' })));
  expect(smtp.taken().map(({ messageId }) => messageId)).toEqual(['<b2@portico.example>']);
  expect(smtp.heard().filter((line) => line.startsWith('MAIL'))).toHaveLength(2);
});

test('twenty mails at once all arrive', async () => {
  const smtp = await server();
  const mailer = mailerAt(smtp.url);
  const ids = Array.from({ length: 20 }, (_, at) => `mail-${at}`);
  await passing(Promise.all(ids.map((id) => mailer.send(aMail({ id })))));
  expect(
    smtp
      .taken()
      .map(({ messageId }) => messageId)
      .sort(),
  ).toEqual(ids.map((id) => `<${id}@portico.example>`).sort());
});

const greetings = (heard: readonly string[]) => heard.filter((line) => line.startsWith('EHLO')).length;
const begun = (reason: string) => `The mail server accepts no mails; they wait in the outbox: ${reason}`;
const ended = 'The mail server accepts mails again';

describe('the probe', () => {
  test('greets the server without a login, is not essential, and runs rarely', async () => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    const { probe } = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    expect(probe).toMatchObject({ name: 'smtp', essential: false, keptMs: 10_000 });
    await passing(probe.check());
    expect(greetings(smtp.heard())).toBe(1);
    expect(smtp.heard().filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
  });

  test.each([
    { script: { greeting: 'hang' }, said: 'did not answer in time' },
    { script: { ehlo: 'hang' }, said: 'did not answer in time' },
    { script: { greeting: '554 no mail here for ada@example.com' }, said: 'is not ready: 554' },
    { script: { ehlo: 'drop' }, said: 'failed: ECONNECTION' },
  ])('reports a server that does this: $script', async ({ script, said }) => {
    const smtp = await server();
    smtp.play(script);
    const hangs = Object.values(script).includes('hang');
    await (hangs ? passingLimits : passing)(expect(mailerAt(smtp.url).probe.check()).rejects.toThrow(said));
  });

  test('ends within 2 seconds, however long sending a mail may take', async () => {
    const smtp = await server();
    smtp.play({ ehlo: 'hang' });
    const checked = expect(mailerAt(smtp.url).probe.check()).rejects.toThrow('did not answer in time');
    await stoppedTime().pass(probeMaxMs);
    await checked;
  });

  test('is logged once when it begins to fail, and once when it recovers', async () => {
    const smtp = await server();
    const log = recordLog();
    const { probe } = mailerAt(smtp.url, log);
    await passing(probe.check());
    smtp.play({ ehlo: '421 4.3.2 closing' });
    for (let n = 0; n < 3; n++) await passing(expect(probe.check()).rejects.toThrow('is not ready'));
    smtp.play({});
    for (let n = 0; n < 3; n++) await passing(probe.check());
    expect(log.messages()).toEqual([begun('The mail server is not ready: 421 4.3.2'), ended]);
  });

  test('reports a refused login until one is accepted', async () => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off');
    smtp.play({ auth: '535 5.7.8 wrong' });
    expect(await failureOf(mailer.send(aMail()))).not.toBeNull();
    await passing(expect(mailer.probe.check()).rejects.toThrow('The mail server refuses the login: 535 5.7.8'));
    smtp.play({});
    await passing(mailer.send(aMail()));
    await passing(mailer.probe.check());
  });
});

describe('the circuit breaker', () => {
  const restsAfter = (reason: string) => ({
    message: `The mail server failed repeatedly; no mail is tried now: ${reason}`,
    permanent: false,
  });
  const at = async (script: SmtpScript) => {
    const smtp = await server({ credentials: { user: 'portico', password: 'secret' } });
    smtp.play(script);
    const log = recordLog();
    const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@') + '?tls=off', log);
    return { smtp, mailer, lines: log.messages, rest: () => stoppedTime().pass(restMs) };
  };
  const outcomes = (mailer: SmtpMailer, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => outcomeOf(mailer.send(aMail({ id: `mail-${n}` })))));
  const sendings = (mailer: SmtpMailer, count: number) => passing(outcomes(mailer, count));
  const lateSendings = (mailer: SmtpMailer, count: number) => passingLimits(outcomes(mailer, count));

  test.each<[string, SmtpScript, string]>([
    ['a login that is refused', { auth: '535 5.7.8 wrong' }, 'The mail server refuses the login: 535 5.7.8'],
    ['a broken connection', { greeting: 'drop' }, 'The connection to the mail server failed: ECONNECTION'],
    ['a hang', { rcpt: 'hang' }, 'The mail server did not answer in time'],
    ['a sender that is refused', { mail: '553 5.1.8 no' }, 'The mail server answered 553 5.1.8 to MAIL FROM'],
    ['a server that closes', { rcpt: '421 4.3.2 no' }, 'The mail server is not ready: 421 4.3.2'],
  ])('opens after five times %s: then a mail fails at once, and the server gets nothing', async (_, script, reason) => {
    const { smtp, mailer, lines } = await at(script);
    const fail = script.rcpt === 'hang' ? lateSendings : sendings;
    expect(await fail(mailer, failuresMax - 1)).toMatchObject(Array(failuresMax - 1).fill({ message: reason }));
    expect(lines()).toEqual([]);
    expect(await fail(mailer, 1)).toMatchObject([{ message: reason }]);
    const before = greetings(smtp.heard());
    smtp.play({});
    // Less than the circuit stays open, which may have opened a moment ago.
    await stoppedTime().pass(restMs - 2_000);
    expect(await outcomes(mailer, 3)).toMatchObject(Array(3).fill(restsAfter(reason)));
    expect(greetings(smtp.heard())).toBe(before);
    expect(lines()).toEqual([begun(reason)]);
  });

  test('stays closed for a verdict on one mail, which also ends a row of failures', async () => {
    const { smtp, mailer, lines } = await at({ rcpt: '550 5.1.1 no such user' });
    expect(await sendings(mailer, 2 * failuresMax)).toMatchObject(Array(2 * failuresMax).fill({ permanent: true }));
    smtp.play({ greeting: 'drop' });
    await sendings(mailer, failuresMax - 1);
    smtp.play({ message: '451 4.7.1 grey-listed' });
    await sendings(mailer, 1);
    smtp.play({ greeting: 'drop' });
    await sendings(mailer, failuresMax - 1);
    smtp.play({});
    expect(await sendings(mailer, 1)).toEqual([null]);
    expect(lines()).toEqual([]);
  });

  test('half-open, tries one mail while the others wait: if it is sent, so are they', async () => {
    const { smtp, mailer, lines, rest } = await at({ greeting: 'drop' });
    await sendings(mailer, failuresMax);
    await rest();
    await smtp.control.pause();
    smtp.play({});
    const sent = outcomes(mailer, 4);
    await smtp.control.resume();
    expect(await passing(sent)).toEqual([null, null, null, null]);
    expect(lines()).toEqual([begun('The connection to the mail server failed: ECONNECTION'), ended]);
  });

  test('half-open, tries a server that still hangs with one mail only, and no mail waits beyond its timeout', async () => {
    const { smtp, mailer, rest } = await at({ ehlo: 'drop' });
    await sendings(mailer, failuresMax);
    await rest();
    smtp.play({ ehlo: 'hang' });
    const failed = outcomes(mailer, 4);
    await exchange();
    expect(greetings(smtp.heard())).toBe(failuresMax + 1);
    await stoppedTime().pass(sendMaxMs);
    expect(await failed).toMatchObject(Array(4).fill({ permanent: false }));
  });

  test('a successful check does not end an outage in which no mail is sent', async () => {
    const { smtp, mailer, lines, rest } = await at({ message: 'drop' });
    await sendings(mailer, failuresMax);
    await passing(mailer.probe.check());
    await rest();
    await sendings(mailer, failuresMax);
    expect(lines()).toHaveLength(1);
    smtp.play({});
    await rest();
    expect(await sendings(mailer, 1)).toEqual([null]);
    expect(lines().slice(1)).toEqual([ended]);
  });

  test('logs neither an outage nor its end if sendings fail because the mailer is closed', async () => {
    const [first, second] = [await at({ rcpt: 'hang' }), await at({ ehlo: 'drop' })];
    await sendings(second.mailer, failuresMax);
    second.smtp.play({ rcpt: 'hang' });
    await second.rest();
    const failed = [outcomes(first.mailer, failuresMax), outcomes(second.mailer, 1)];
    const recipients = ({ smtp }: typeof first) => smtp.heard().filter((line) => line.startsWith('RCPT')).length;
    await exchange();
    expect([recipients(first), recipients(second)]).toEqual([failuresMax, 1]);
    await passingLimits(Promise.all([first.mailer.close(), second.mailer.close()]));
    expect((await Promise.all(failed)).flat()).not.toContain(null);
    expect(first.lines()).toEqual([]);
    expect(second.lines()).toEqual([begun('The connection to the mail server failed: ECONNECTION')]);
  });
});

describe('closing', () => {
  test('waits for the mail being sent', async () => {
    const smtp = await server();
    const mailer = mailerAt(smtp.url);
    const sending = outcomeOf(mailer.send(aMail()));
    await passing(mailer.close());
    expect(smtp.taken()).toHaveLength(1);
    expect(await sending).toBeNull();
  });

  test('does not wait for a server that hangs, and sends nothing afterwards', async () => {
    const smtp = await server();
    smtp.play({ rcpt: 'hang' });
    const mailer = mailerAt(smtp.url);
    const sending = outcomeOf(mailer.send(aMail()));
    await exchange();
    expect(smtp.heard().join()).toContain('RCPT');
    const closing = mailer.close();
    // Less than the mail may take.
    await stoppedTime().pass(sendMaxMs / 2);
    await closing;
    expect(await sending).toMatchObject({ permanent: false });
    smtp.play({});
    expect(await failureOf(mailer.send(aMail()))).toMatchObject({ message: 'The mailer is closed', permanent: false });
    expect(smtp.taken()).toEqual([]);
  });
});
