import { TimeoutExceeded, within } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { deliveryErrorFrom, isAboutCredentials, isAboutEncryption, timeoutError } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

/** The timeout for the server to close the connection after we have closed it. */
const disconnectMs = 1_000;

export const connectionOptions = ({ host, port, tls }: SmtpTarget, connectMaxMs: number, silenceMaxMs: number) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  // Overrides NODE_TLS_REJECT_UNAUTHORIZED. Use NODE_EXTRA_CA_CERTS to add a private CA.
  tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const,
  dnsTimeout: connectMaxMs,
  connectionTimeout: connectMaxMs,
  greetingTimeout: connectMaxMs,
  socketTimeout: silenceMaxMs,
  socketCloseTimeout: disconnectMs,
});

/** Resolves once the server has responded to EHLO, after starting TLS if required. Does not log in. */
export const greet = async (target: SmtpTarget, maxMs: number): Promise<void> => {
  try {
    await verify(target, null, maxMs);
  } catch (error) {
    throw error instanceof TimeoutExceeded ? timeoutError() : deliveryErrorFrom(error);
  }
};

/**
 * Connects to the server, with a timeout for the whole check: a server that trickles its replies never exceeds the
 * silence timeout.
 */
const verify = (target: SmtpTarget, credentials: SmtpTarget['credentials'], maxMs: number): Promise<unknown> =>
  within(maxMs, createTransport({ ...connectionOptions(target, maxMs, maxMs), ...loginWith(credentials) }).verify());

export const loginWith = (credentials: SmtpTarget['credentials']) =>
  credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {};

/** The reason the mail server cannot be used. */
export interface SmtpProblem {
  readonly kind: 'unavailable' | 'encryption' | 'login';
  /** Does not contain the password. */
  readonly message: string;
}

/** Logs in as if to send a mail, but sends none. Returns null if that succeeds. Throws if the URL is invalid. */
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
