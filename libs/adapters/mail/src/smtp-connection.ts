import { TookTooLong, within } from '@portico/dependencies';
import { createTransport } from 'nodemailer';
import { deliveryErrorFrom, lateError } from './smtp-failure.ts';
import type { SmtpTarget } from './smtp-url.ts';

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
    // A server that trickles replies never hits the silence timeout: the whole check has a timeout too.
    await within(maxMs, createTransport(connectionOptions(target, maxMs, maxMs)).verify());
  } catch (error) {
    throw error instanceof TookTooLong ? lateError() : deliveryErrorFrom(error);
  }
};
