import { databaseFault, DatabaseUnavailableError } from '@portico/sql';
import { ConfigurationError } from '../environment.ts';
import { LostKeyError } from '../wiring/secrets-key.ts';

export interface StartFailure {
  /** What an operator can mend is said without a stack. */
  readonly said: string;
  /** 75 where another start may succeed (EX_TEMPFAIL of sysexits.h), else 1. */
  readonly exitCode: 1 | 75;
}

/** What to say of a start, or of a command, that failed, and what to end with. */
export const startFailure = (error: unknown): StartFailure => {
  if (error instanceof DatabaseUnavailableError) return { said: error.message, exitCode: 75 };
  if (!(error instanceof Error)) return { said: String(error), exitCode: 1 };
  return { said: mendable(error) ?? error.stack ?? error.message, exitCode: 1 };
};

/** Null for a bug, whose stack is wanted. */
const mendable = (error: Error): string | null => {
  if (error instanceof ConfigurationError || error instanceof LostKeyError) return error.message;
  return databaseFault(error) ?? systemFault(error) ?? faultWithin(error);
};

/** A driver wraps what the system refused: `fetch failed`, and why in the cause; or one error for each address of a host. */
const faultWithin = (error: Error): string | null => {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const said = inner instanceof Error ? mendable(inner) : null;
  return said && [error.message, said].filter(Boolean).join(': ');
};

/** What the operating system refused: its message names what was tried, and the file. */
const systemFault = (error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }) => {
  const { code = '', syscall, address, port } = error;
  if (syscall === undefined) return null;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error.message;
  const place = port === undefined ? '' : `: ${address}:${port}`;
  const reason = listenFaults[code];
  return reason ? `HOST and PORT${place} ${reason} (${code})` : error.message;
};

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop what listens there, or choose another port',
  EACCES: 'may not be listened at by this user: choose a port from 1024',
  EADDRNOTAVAIL: 'is no address of this machine',
};
