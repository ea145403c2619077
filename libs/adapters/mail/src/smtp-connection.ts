import { TookTooLong, within } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { deliveryErrorFrom, lateError } from './smtp-failure.ts';
import type { SmtpTarget } from './smtp-url.ts';

/** What a server has after our end of the connection to close its own. */
const hangUpMs = 1_000;

export const connectionOptions = ({ host, port, tls }: SmtpTarget, connectMaxMs: number, silenceMaxMs: number) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says; an authority of one's own is named by NODE_EXTRA_CA_CERTS.
  tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const,
  dnsTimeout: connectMaxMs,
  connectionTimeout: connectMaxMs,
  greetingTimeout: connectMaxMs,
  socketTimeout: silenceMaxMs,
  socketCloseTimeout: hangUpMs,
});

/** Resolves once the server has answered EHLO, after TLS where TLS is wanted; there is no login. */
export const greet = async (target: SmtpTarget, maxMs: number): Promise<void> => {
  try {
    // A server that says something now and then is never silent for long: the whole has its limit, too.
    await within(maxMs, createTransport(connectionOptions(target, maxMs, maxMs)).verify());
  } catch (error) {
    throw error instanceof TookTooLong ? lateError() : deliveryErrorFrom(error);
  }
};
