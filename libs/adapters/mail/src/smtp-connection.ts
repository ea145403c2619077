import { TookTooLong, within } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { deliveryErrorFrom, isAboutCredentials, isAboutEncryption, lateError } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

/** How long the server may take to close the connection after us. */
const hangUpMs = 1_000;

export const connectionOptions = ({ host, port, tls }: SmtpTarget, connectMaxMs: number, silenceMaxMs: number) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  // Overrides NODE_TLS_REJECT_UNAUTHORIZED. NODE_EXTRA_CA_CERTS adds a private CA.
  tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const,
  dnsTimeout: connectMaxMs,
  connectionTimeout: connectMaxMs,
  greetingTimeout: connectMaxMs,
  socketTimeout: silenceMaxMs,
  socketCloseTimeout: hangUpMs,
});

/** Resolves once the server has answered EHLO, after TLS if wanted; there is no login. */
export const greet = async (target: SmtpTarget, maxMs: number): Promise<void> => {
  try {
    await verify(target, null, maxMs);
  } catch (error) {
    throw error instanceof TookTooLong ? lateError() : deliveryErrorFrom(error);
  }
};

/** A server that trickles replies never hits the silence timeout: the whole check has a timeout too. */
const verify = (target: SmtpTarget, credentials: SmtpTarget['credentials'], maxMs: number): Promise<unknown> =>
  within(maxMs, createTransport({ ...connectionOptions(target, maxMs, maxMs), ...loginWith(credentials) }).verify());

export const loginWith = (credentials: SmtpTarget['credentials']) =>
  credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {};

/** What stands between this process and a mail server that takes its mails. */
export interface SmtpProblem {
  readonly kind: 'away' | 'encryption' | 'login';
  /** Without the password. */
  readonly said: string;
}

/** Signs in as for a mail, and sends none. Null if that works. Throws if the address is invalid. */
export const findSmtpProblem = async (url: string, maxMs: number): Promise<SmtpProblem | null> => {
  const target = readSmtpUrl(url);
  try {
    await verify(target, target.credentials, maxMs);
    return null;
  } catch (error) {
    if (error instanceof TookTooLong) return { kind: 'away', said: lateError().message };
    const kind = isAboutCredentials(error) ? 'login' : isAboutEncryption(error) ? 'encryption' : 'away';
    return { kind, said: deliveryErrorFrom(error).message };
  }
};
