import { TimeoutExceeded, within } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { deliveryErrorFrom, isAboutCredentials, isAboutEncryption, timeoutError } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

/** How long the server may take to close the connection after we did. */
const disconnectMs = 1_000;

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
  socketCloseTimeout: disconnectMs,
});

/** Resolves once the server has responded to EHLO, after TLS if required. Does not log in. */
export const greet = async (target: SmtpTarget, maxMs: number): Promise<void> => {
  try {
    await verify(target, null, maxMs);
  } catch (error) {
    throw error instanceof TimeoutExceeded ? timeoutError() : deliveryErrorFrom(error);
  }
};

/** The whole check has a timeout, because a server that trickles replies never exceeds the silence timeout. */
const verify = (target: SmtpTarget, credentials: SmtpTarget['credentials'], maxMs: number): Promise<unknown> =>
  within(maxMs, createTransport({ ...connectionOptions(target, maxMs, maxMs), ...loginWith(credentials) }).verify());

export const loginWith = (credentials: SmtpTarget['credentials']) =>
  credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {};

/** The reason why the mail server cannot be used. */
export interface SmtpProblem {
  readonly kind: 'unavailable' | 'encryption' | 'login';
  /** Does not contain the password. */
  readonly message: string;
}

/** Logs in like for a mail, but sends none. Returns null if that works. Throws if the URL is invalid. */
export const findSmtpProblem = async (url: string, maxMs: number): Promise<SmtpProblem | null> => {
  const target = readSmtpUrl(url);
  try {
    await verify(target, target.credentials, maxMs);
    return null;
  } catch (error) {
    if (error instanceof TimeoutExceeded) return { kind: 'unavailable', message: timeoutError().message };
    const kind = isAboutCredentials(error) ? 'login' : isAboutEncryption(error) ? 'encryption' : 'unavailable';
    return { kind, message: deliveryErrorFrom(error).message };
  }
};
