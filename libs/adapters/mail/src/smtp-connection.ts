import { TimeoutExceeded, rejectOnTimeout } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { toDeliveryError, isCredentialsError, isEncryptionError, createTimeoutError } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

/** The timeout for the server to close the connection after we have closed it. */
const disconnectTimeoutMs = 1_000;

export const createConnectionOptions = (
  { host, port, tls }: SmtpTarget,
  connectTimeoutMs: number,
  idleTimeoutMs: number,
) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  // Overrides NODE_TLS_REJECT_UNAUTHORIZED. Use NODE_EXTRA_CA_CERTS to add a private CA.
  tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const,
  dnsTimeout: connectTimeoutMs,
  connectionTimeout: connectTimeoutMs,
  greetingTimeout: connectTimeoutMs,
  socketTimeout: idleTimeoutMs,
  socketCloseTimeout: disconnectTimeoutMs,
});

/** Resolves once the server has responded to EHLO, after starting TLS if required. Does not log in. */
export const greet = async (target: SmtpTarget, timeoutMs: number): Promise<void> => {
  try {
    await verify(target, null, timeoutMs);
  } catch (error) {
    throw error instanceof TimeoutExceeded ? createTimeoutError() : toDeliveryError(error);
  }
};

/**
 * Connects to the server, with a timeout for the whole check: a server that trickles its replies never exceeds the
 * silence timeout.
 */
const verify = (target: SmtpTarget, credentials: SmtpTarget['credentials'], timeoutMs: number): Promise<unknown> =>
  rejectOnTimeout(
    timeoutMs,
    createTransport({
      ...createConnectionOptions(target, timeoutMs, timeoutMs),
      ...createLoginOptions(credentials),
    }).verify(),
  );

export const createLoginOptions = (credentials: SmtpTarget['credentials']) =>
  credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {};

/** The reason the mail server cannot be used. */
export interface SmtpProblem {
  readonly kind: 'unavailable' | 'encryption' | 'login';
  /** Does not contain the password. */
  readonly message: string;
}

/** Logs in as if to send an email, but sends none. Returns null if that succeeds. Throws if the URL is invalid. */
export const findSmtpProblem = async (url: string, timeoutMs: number): Promise<SmtpProblem | null> => {
  const target = readSmtpUrl(url);
  try {
    await verify(target, target.credentials, timeoutMs);
    return null;
  } catch (error) {
    if (error instanceof TimeoutExceeded) return { kind: 'unavailable', message: createTimeoutError().message };
    const kind = isCredentialsError(error) ? 'login' : isEncryptionError(error) ? 'encryption' : 'unavailable';
    return { kind, message: toDeliveryError(error).message };
  }
};
