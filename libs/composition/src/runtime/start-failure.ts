import { databaseFault, DatabaseUnavailableError } from '@portico/sql';
import { ConfigurationError } from '../environment.ts';
import { LostKeyError } from '../wiring/secrets-key.ts';

export interface StartFailure {
  /** Without a stack if an operator can fix it. */
  readonly said: string;
  /** 75 if another start may succeed (EX_TEMPFAIL of sysexits.h), else 1. */
  readonly exitCode: 1 | 75;
}

/** The message and the exit code for a start or a command that failed. */
export const startFailure = (error: unknown): StartFailure => {
  if (error instanceof DatabaseUnavailableError) return { said: error.message, exitCode: 75 };
  if (!(error instanceof Error)) return { said: String(error), exitCode: 1 };
  return { said: mendable(error) ?? error.stack ?? error.message, exitCode: 1 };
};

/** Null for a bug: its stack is wanted. */
const mendable = (error: Error): string | null => {
  if (error instanceof ConfigurationError || error instanceof LostKeyError) return error.message;
  return databaseFault(error) ?? systemFault(error) ?? faultWithin(error);
};

/** Drivers wrap system errors: `fetch failed` with the reason in its cause, or one error for each address of a host. */
const faultWithin = (error: Error): string | null => {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const said = inner instanceof Error ? mendable(inner) : null;
  return said && [error.message, said].filter(Boolean).join(': ');
};

/** An error of the operating system: its message names the call and the file. */
const systemFault = (error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }) => {
  const { code = '', syscall, address, port } = error;
  if (syscall === undefined) return null;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error.message;
  const place = port === undefined ? '' : `: ${address}:${port}`;
  const reason = listenFaults[code];
  return reason ? `HOST and PORT${place} ${reason} (${code})` : error.message;
};

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop the process that listens there, or choose another port',
  EACCES: 'is not allowed for this user: choose port 1024 or above',
  EADDRNOTAVAIL: 'is not an address of this machine',
};
