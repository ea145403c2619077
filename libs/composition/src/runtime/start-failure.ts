import { describeDatabaseFault, DatabaseUnavailableError } from '@portico/sql';
import { ConfigurationError } from '../environment.ts';
import { LostKeyError } from '../wiring/secrets-key.ts';

export interface StartFailure {
  /** The message, without a stack trace if an operator can fix the problem. */
  readonly message: string;
  /** 75 if a later start may succeed (EX_TEMPFAIL in sysexits.h), otherwise 1. */
  readonly exitCode: 1 | 75;
}

/** Returns the message and the exit code for a start or a command that failed. */
export const toStartFailure = (error: unknown): StartFailure => {
  if (error instanceof DatabaseUnavailableError) return { message: error.message, exitCode: 75 };
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 };
  return { message: operatorMessageOf(error) ?? error.stack ?? error.message, exitCode: 1 };
};

/** Returns the message for an operator, or null for a bug, whose stack trace is needed. */
const operatorMessageOf = (error: Error): string | null => {
  if (error instanceof ConfigurationError || error instanceof LostKeyError) return error.message;
  return describeDatabaseFault(error) ?? systemFaultOf(error) ?? innerFaultOf(error);
};

/**
 * Returns the reason inside a wrapped error. Drivers wrap system errors: as `fetch failed` with the reason as its
 * cause, or as one error for each address of a host.
 */
const innerFaultOf = (error: Error): string | null => {
  const innerError: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const message = innerError instanceof Error ? operatorMessageOf(innerError) : null;
  return message && [error.message, message].filter(Boolean).join(': ');
};

/** Returns the message for an error of the operating system, which names the call and the file. */
const systemFaultOf = (error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }) => {
  const { code = '', syscall, address, port } = error;
  if (syscall === undefined) return null;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error.message;
  const hostAndPort = port === undefined ? '' : `: ${address}:${port}`;
  const reason = listenFaults[code];
  return reason ? `HOST and PORT${hostAndPort} ${reason} (${code})` : error.message;
};

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop the process that listens there, or choose another port',
  EACCES: 'is not allowed for this user: choose port 1024 or above',
  EADDRNOTAVAIL: 'is not an address of this machine',
};
