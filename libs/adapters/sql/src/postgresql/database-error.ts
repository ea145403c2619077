import { DatabaseError } from 'pg';
import { lostConnection } from '../database-fault.ts';

/**
 * Removes the written values from a server error, so that they are never logged: the values of a key (`detail`), the
 * statement inside a function, and the message of a data exception, which quotes the value.
 */
export const removeValues = (error: unknown): unknown => {
  if (!(error instanceof DatabaseError)) return error;
  Object.assign(error, clearedFields);
  if (isOfClass(error, dataException)) {
    const message = `The database rejected a value (SQLSTATE ${error.code ?? 'unknown'}).`;
    if (error.stack) error.stack = error.stack.replace(error.message, message);
    error.message = message;
  }
  return error;
};

/** Returns whether the connection that threw the error can be reused: the server only rejected a statement. */
export const isConnectionUsableAfter = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  !isOfClass(error, connectionException) &&
  !isOfClass(error, operatorIntervention) &&
  error.code !== outdatedStatement;

/**
 * Returns whether to retry: the transaction was rolled back because of a concurrent one, or its wait for a lock timed
 * out.
 */
export const isRetryable = (error: unknown): boolean => conflictCodes.has(codeOf(error) ?? '');

/** Returns whether waiting may help: the address does not respond, or the server is starting, stopping or full. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  if (error instanceof DatabaseError) {
    return isOfClass(error, connectionException) || transientCodes.has(error.code ?? '');
  }
  return networkCodes.has(codeOf(error) ?? '') || (error instanceof Error && lostConnection.test(error.message));
};

/** Returns the table and column of a violated uniqueness constraint, as SQLite names them, or null. */
export const violatedKeyOf = (error: unknown): string | null => {
  const constraint: unknown = error instanceof Error && 'constraint' in error ? error.constraint : null;
  return codeOf(error) === '23505' && typeof constraint === 'string'
    ? (keysByConstraint[constraint] ?? constraint)
    : null;
};

/** The codes for a serialization failure, a deadlock and a lock timeout. */
const conflictCodes: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);
const clearedFields = { detail: undefined, hint: undefined, where: undefined, internalQuery: undefined };
const dataException = '22';
const connectionException = '08';
/** Does not include 57014 (a cancelled statement), which leaves the connection usable. */
const operatorIntervention = '57P';
/** A table has changed since the connection prepared the statement, so the statement keeps failing. */
const outdatedStatement = '0A000';
/** The codes for too many connections, and for a server that is shutting down, crashed or starting up. */
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
const keysByConstraint: Readonly<Record<string, string>> = {
  profiles_email_unique: 'profiles.email',
  profiles_email_key_unique: 'profiles.email_key',
  profiles_uid_unique: 'profiles.uid',
  access_groups_name_unique: 'access_groups.name',
  tiers_pkey: 'tiers.tier',
  service_accounts_name_key_unique: 'service_accounts.name_key',
};

const isOfClass = (error: DatabaseError, prefix: string): boolean => error.code?.startsWith(prefix) ?? false;

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
