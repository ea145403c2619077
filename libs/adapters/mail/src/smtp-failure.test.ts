import { createServer, type AddressInfo } from 'node:net';
import { smtpStages, type SmtpFault, type SmtpStage } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  aMail,
  failureOf,
  failureAfterTimeout,
  mailerAt,
  whileTimePasses,
  afterTimeouts,
  sender,
  startServer,
  useStoppedTime,
} from '../test/send-by-smtp.ts';

const credentials = { user: 'portico@example.net', password: 'p@ss word' };
const login = `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}`;

/** Texts that a server may quote in its reply, but that no error may contain. */
const secrets = [
  credentials.password,
  credentials.user,
  'ada@example.com',
  'noreply',
  sender,
  'Your API',
  '123',
  'a1@',
];
const echo = `<ada@example.com> ${secrets.join(' ')} ${Buffer.from(credentials.password).toString('base64')}`;

const faults: Record<string, SmtpFault> = {
  'a 4yz reply': `451 4.3.0 ${echo}`,
  'a 5yz reply': `550 5.1.1 ${echo}`,
  'a 5yz reply of two lines': `554-5.7.1 ${echo}\r\n554 5.7.1 ${echo}`,
  'a 421 reply': `421 4.4.2 ${echo}`,
  garbage: `* OK ${echo}`,
  'an empty line, then silence': '',
  silence: 'hang',
  'a broken connection': 'drop',
  'a broken connection after its work': 'lose the reply',
};
const silentFaults: readonly SmtpFault[] = ['', 'hang'];
const stages = smtpStages.filter((stage) => stage !== 'starttls');
const mailStages: readonly SmtpStage[] = ['rcpt', 'data', 'message'];
const cases = stages.flatMap((stage) => Object.entries(faults).map(([name, fault]) => ({ stage, name, fault })));

describe.each([{ pipelining: true }, { pipelining: false }])('pipelining: $pipelining', ({ pipelining }) => {
  test.each(cases)('$name at stage $stage is classified, and does not reveal the email', async ({ stage, fault }) => {
    const smtp = await startServer({ credentials, pipelining });
    smtp.setScript({ [stage]: fault });
    const mailer = mailerAt(`${smtp.url.replace('//', `//${login}@`)}?tls=off`);
    const failure = await (silentFaults.includes(fault) ? failureAfterTimeout : failureOf)(mailer.send(aMail()));
    const isRejection = fault.startsWith('55') && mailStages.includes(stage);
    expect(failure).toMatchObject({ name: 'DeliveryError', permanent: isRejection });
    const output = `${String(failure)} ${failure?.stack} ${JSON.stringify(failure)} ${String(failure?.cause)}`;
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    smtp.setScript({});
    await whileTimePasses(mailer.send(aMail({ id: 'b2' })));
    expect(smtp.listAccepted().at(-1)?.messageId).toBe('<b2@portico.example>');
  });
});

test.each<[SmtpStage, string, string, boolean]>([
  ['rcpt', '550 5.1.1 no such user', 'The mail server answered 550 5.1.1 to RCPT TO', true],
  ['rcpt', '550 no such user', 'The mail server answered 550 to RCPT TO', true],
  ['rcpt', '450 4.2.1 later', 'The mail server answered 450 4.2.1 to RCPT TO', false],
  ['mail', '553 5.1.8 sender', 'The mail server answered 553 5.1.8 to MAIL FROM', false],
  ['mail', '501 5.1.7 bad sender', 'The mail server answered 501 5.1.7 to MAIL FROM', false],
  ['mail', '552 5.2.2 full', 'The mail server answered 552 5.2.2 to MAIL FROM', false],
  ['mail', '530 5.7.0 log in first', 'The mail server rejects the login: 530 5.7.0', false],
  ['mail', '530 5.7.0 STARTTLS first', 'The mail server rejects the login: 530 5.7.0', false],
  ['rcpt', '503 5.5.1 bad sequence', 'The mail server answered 503 5.5.1 to RCPT TO', false],
  ['data', '554 5.5.1 no', 'The mail server answered 554 5.5.1 to DATA', true],
  ['message', '554 5.7.1 spam', 'The mail server answered 554 5.7.1 to DATA', true],
  ['message', '451 4.7.1 grey-listed', 'The mail server answered 451 4.7.1 to DATA', false],
  ['message', '452 12.345.6 disk', 'The mail server answered 452 to DATA', false],
  ['auth', '535 5.7.8 wrong', 'The mail server rejects the login: 535 5.7.8', false],
  ['auth', '454 4.7.0 later', 'The mail server rejects the login: 454 4.7.0', false],
  ['greeting', '554 5.3.2 closed', 'The mail server is not ready: 554 5.3.2', false],
  ['greeting', '421 4.3.2 too many', 'The mail server is not ready: 421 4.3.2', false],
  ['ehlo', '421 4.7.0 too fast', 'The mail server is not ready: 421 4.7.0', false],
  ['greeting', 'HTTP/1.1 400 Bad Request', 'The connection to the mail server failed: EPROTOCOL', false],
])('at the stage %s the reply "%s" results in "%s", permanent: %s', async (stage, reply, message, permanent) => {
  const smtp = await startServer({ credentials });
  smtp.setScript({ [stage]: reply });
  const mailer = mailerAt(`${smtp.url.replace('//', `//${login}@`)}?tls=off`);
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({ message, permanent });
});

test('a wrong password does not lose an email: it is sent once the password is correct', async () => {
  const smtp = await startServer({ credentials });
  const mailerWithWrongPassword = mailerAt(`${smtp.url.replace('//', '//portico%40example.net:wrong@')}?tls=off`);
  expect(await failureOf(mailerWithWrongPassword.send(aMail()))).toMatchObject({
    message: 'The mail server rejects the login: 535 5.7.8',
    permanent: false,
  });
  await whileTimePasses(mailerAt(`${smtp.url.replace('//', `//${login}@`)}?tls=off`).send(aMail()));
  expect(smtp.listAccepted().map(({ user }) => user)).toEqual([credentials.user]);
});

test('no mail is lost if a server requires a login but none is configured', async () => {
  const smtp = await startServer({ credentials });
  expect(await failureOf(mailerAt(smtp.url).send(aMail()))).toMatchObject({
    message: 'The mail server rejects the login: 530 5.7.0',
    permanent: false,
  });
});

test('a server that does not respond causes a timeout', async () => {
  const smtp = await startServer();
  const mailer = mailerAt(smtp.url);
  await smtp.control.pause();
  expect(await failureAfterTimeout(mailer.send(aMail()))).toMatchObject({
    message: 'The mail server did not respond in time',
    permanent: false,
  });
  await smtp.control.resume();
  await whileTimePasses(mailer.send(aMail()));
  expect(smtp.listAccepted()).toHaveLength(1);
});

test('a server that never finishes its reply causes a timeout', async () => {
  useStoppedTime();
  const tricklingServer = createServer((socket) => {
    const timer = setInterval(() => socket.write('250-and so on\r\n'), 20);
    socket.write('220 ready\r\n');
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => tricklingServer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void tricklingServer.close());
  const { port } = tricklingServer.address() as AddressInfo;
  const mailer = mailerAt(`smtp://127.0.0.1:${port}`);
  expect(await failureAfterTimeout(mailer.send(aMail()))).toMatchObject({
    message: 'The mail server did not respond in time',
  });
  await afterTimeouts(expect(mailer.probe.check()).rejects.toThrow('The mail server did not respond in time'));
});

test('a server that is down is reported only by its code', async () => {
  const smtp = await startServer();
  const mailer = mailerAt(smtp.url);
  await smtp.control.stop();
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({
    message: 'The connection to the mail server failed: ESOCKET ECONNREFUSED',
    permanent: false,
  });
});

test('a host without an address is reported only by its code', async () => {
  const failure = await failureAfterTimeout(mailerAt('smtp://mail.invalid').send(aMail()));
  expect(failure).toMatchObject({ permanent: false });
  expect(failure?.message).toMatch(/^The connection to the mail server failed: EDNS|^The mail server did not respond/);
});
