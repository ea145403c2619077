import { DatabaseUnavailableError } from '@portico/sql';
import { ConfigurationError } from './environment.ts';

export interface StartFailure {
  /** What an operator can mend is said without a stack. */
  readonly said: string;
  /** 75 where another start may succeed (EX_TEMPFAIL of sysexits.h), else 1. */
  readonly exitCode: 1 | 75;
}

/** What to say of a start that failed, and what to end with. */
export const startFailure = (error: unknown): StartFailure => {
  if (error instanceof DatabaseUnavailableError) return { said: error.message, exitCode: 75 };
  if (!(error instanceof Error)) return { said: String(error), exitCode: 1 };
  const isOperators = error instanceof ConfigurationError || ('syscall' in error && error.syscall === 'listen');
  return { said: isOperators ? error.message : (error.stack ?? error.message), exitCode: 1 };
};
