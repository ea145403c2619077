import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createSelfSignedCertificate, type SmtpServerTestOptions } from '@portico/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { aMail, failureOf, failureAfterTimeout, mailerAt, whileTimePasses, startServer } from '../test/send-by-smtp.ts';

const certificate = createSelfSignedCertificate();
const otherCertificate = createSelfSignedCertificate(['DNS:other.example']);
const credentials = { user: 'portico', password: 'secret' };

const defaultCertificates = getCACertificates('default');
afterEach(() => setDefaultCACertificates(defaultCertificates));
/** Trusts these certificates, with the same effect as NODE_EXTRA_CA_CERTS when a process starts. */
const trust = (...certificates: readonly ({ cert: string } | null)[]): void =>
  setDefaultCACertificates([...defaultCertificates, ...certificates.flatMap((entry) => (entry ? [entry.cert] : []))]);

const openMailer = async (options: SmtpServerTestOptions, query = '', login = true) => {
  const smtp = await startServer({ ...(certificate ? { certificate } : {}), ...options });
  const url = `${login ? smtp.url.replace('//', '//portico:secret@') : smtp.url}${query}`;
  return { smtp, mailer: mailerAt(url) };
};

describe.skipIf(!certificate)('with a server that has a certificate', () => {
  test.each(['starttls', 'implicit'] as const)('%s: mail and login are encrypted', async (tls) => {
    trust(certificate);
    const { smtp, mailer } = await openMailer({ tls, credentials });
    await whileTimePasses(mailer.send(aMail()));
    expect(smtp.listAccepted()).toMatchObject([
      { isEncrypted: true, user: 'portico', messageId: '<a1@portico.example>' },
    ]);
    expect(smtp.listReceivedLines().filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
    await whileTimePasses(mailer.probe.check());
  });

  test.each(['starttls', 'implicit'] as const)('%s: an untrusted certificate is rejected', async (tls) => {
    const { smtp, mailer } = await openMailer({ tls, credentials });
    expect(await failureOf(mailer.send(aMail()))).toMatchObject({
      message: 'The connection to the mail server failed: ESOCKET DEPTH_ZERO_SELF_SIGNED_CERT',
      permanent: false,
    });
    await whileTimePasses(expect(mailer.probe.check()).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT'));
    expect(smtp.listReceivedLines().filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
  });

  test.each(['starttls', 'implicit'] as const)('%s: a certificate for a different host is rejected', async (tls) => {
    trust(otherCertificate);
    const { smtp, mailer } = await openMailer({
      tls,
      credentials,
      ...(otherCertificate ? { certificate: otherCertificate } : {}),
    });
    expect(await failureOf(mailer.send(aMail()))).toMatchObject({
      message: 'The connection to the mail server failed: ESOCKET ERR_TLS_CERT_ALTNAME_INVALID',
      permanent: false,
    });
    expect(smtp.listAccepted()).toEqual([]);
  });

  test('certificates are verified even if the process disables verification', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { smtp, mailer } = await openMailer({ tls: 'implicit', credentials });
      expect(await failureOf(mailer.send(aMail()))).toMatchObject({ permanent: false });
      expect(smtp.listAccepted()).toEqual([]);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('without a password, STARTTLS is used on loopback if offered', async () => {
    trust(certificate);
    const { smtp, mailer } = await openMailer({ tls: 'starttls' }, '', false);
    await whileTimePasses(mailer.send(aMail()));
    expect(smtp.listAccepted()).toMatchObject([{ isEncrypted: true }]);
  });

  test('tls=off does not use STARTTLS', async () => {
    const { smtp, mailer } = await openMailer({ tls: 'starttls' }, '?tls=off', false);
    await whileTimePasses(mailer.send(aMail()));
    expect(smtp.listAccepted()).toMatchObject([{ isEncrypted: false }]);
  });

  test.each(['454 4.7.0 not now', '502 5.5.1 no such command', 'hang', 'drop'])(
    'if STARTTLS is required and fails, neither login nor mail is sent: %s',
    async (fault) => {
      trust(certificate);
      const smtp = await startServer({ tls: 'starttls', credentials });
      smtp.setScript({ starttls: fault });
      const mailer = mailerAt(smtp.url.replace('//', '//portico:secret@'));
      const sendAndFail = fault === 'hang' ? failureAfterTimeout : failureOf;
      expect(await sendAndFail(mailer.send(aMail()))).toMatchObject({ permanent: false });
      expect(smtp.listReceivedLines().filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
    },
  );

  test('smtps to a plain text server, and vice versa, is a temporary failure', async () => {
    trust(certificate);
    const [plainServer, tlsServer] = [await startServer({}), await startServer({ tls: 'implicit' })];
    const urls = [`smtps://127.0.0.1:${plainServer.port}`, `smtp://127.0.0.1:${tlsServer.port}`];
    for (const url of urls) {
      const mailer = mailerAt(url);
      expect(await failureAfterTimeout(mailer.send(aMail())), url).toMatchObject({ permanent: false });
    }
    expect([...plainServer.listAccepted(), ...tlsServer.listAccepted()]).toEqual([]);
  });
});

test('if STARTTLS is required, a server that does not offer it gets neither login nor mail', async () => {
  const { smtp, mailer } = await openMailer({ tls: 'none', credentials });
  expect(await failureOf(mailer.send(aMail()))).toMatchObject({ permanent: false });
  const withoutLogin = await openMailer({ tls: 'none' }, '?tls=required', false);
  expect(await failureOf(withoutLogin.mailer.send(aMail()))).toMatchObject({ permanent: false });
  for (const receivedLines of [smtp.listReceivedLines(), withoutLogin.smtp.listReceivedLines()]) {
    expect(receivedLines.filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
  }
});
