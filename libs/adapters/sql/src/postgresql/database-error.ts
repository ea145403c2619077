import { DatabaseError } from 'pg';
import { lostConnection } from '../database-fault.ts';

/**
 * Takes what was to be written out of an error of the server, so that it reaches no log: the values of a key (`detail`), the
 * statement inside a function, and, of a value that the server could not read, the message too, which cites it.
 */
export const withoutValues = (error: unknown): unknown => {
  if (!(error instanceof DatabaseError)) return error;
  Object.assign(error, nothingSaid);
  if (isOfClass(error, dataException)) {
    const message = `The database refused a value (SQLSTATE ${error.code ?? 'unknown'}).`;
    if (error.stack) error.stack = error.stack.replace(error.message, message);
    error.message = message;
  }
  return error;
};

/** Whether the connection that thrown it can go on: the server refused a statement, and nothing else happened. */
export const isConnectionUsableAfter = (error: unknown): boolean =>
  error instanceof DatabaseError && !isOfClass(error, connectionException) && !isOfClass(error, operatorIntervention);

/** Of two transactions that were in each other's way this one was rolled back, or has waited for a lock as long as one may. */
export const isToBeTriedAgain = (error: unknown): boolean => conflictCodes.has(codeOf(error) ?? '');

/** Whether waiting may help: nobody answers at the address, or the server is starting, stopping, or full. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  if (error instanceof DatabaseError) {
    return isOfClass(error, connectionException) || transientCodes.has(error.code ?? '');
  }
  return networkCodes.has(codeOf(error) ?? '') || (error instanceof Error && lostConnection.test(error.message));
};

/** The names of constraints whose violation has a meaning, as the table and column that SQLite names. */
export const violatedKeyOf = (error: unknown): string | null => {
  const constraint: unknown = error instanceof Error && 'constraint' in error ? error.constraint : null;
  return codeOf(error) === '23505' && typeof constraint === 'string' ? (keys[constraint] ?? constraint) : null;
};

/** Not serialisable; a deadlock; a lock that was not had in time. */
const conflictCodes: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);
const nothingSaid = { detail: undefined, hint: undefined, where: undefined, internalQuery: undefined };
const dataException = '22';
const connectionException = '08';
/** A statement that was cancelled is of this class too, and leaves its connection as it was. */
const operatorIntervention = '57P';
/** Too many connections; shutting down, crashed, starting up. */
const transientCodes: ReadonlySet<string> = new Set(['53300', '57P01', '57P02', '57P03']);
const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const keys: Readonly<Record<string, string>> = {
  profiles_email_unique: 'profiles.email',
  profiles_uid_unique: 'profiles.uid',
  tiers_pkey: 'tiers.tier',
};

const isOfClass = (error: DatabaseError, start: string): boolean => error.code?.startsWith(start) ?? false;

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
