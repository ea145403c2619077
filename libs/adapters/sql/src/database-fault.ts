/**
 * Thrown if the database cannot be used. The message names the database and gives the reason. Restarting does not help.
 */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}

/**
 * Returns one sentence for an operator who can fix the failure: the database cannot be opened, is locked, full, damaged
 * or unavailable, or rejects this user. Returns null for any other error: a statement that the database rejects is a
 * bug.
 */
export const describeDatabaseFault = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof DatabaseOpenError) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isOperational =
    sqliteStates.test(code) || sqlStates.test(code) || (code === '' && lostConnection.test(error.message));
  return isOperational ? `The database failed: ${error.message}${code && ` (${code})`}` : null;
};

const sqliteStates = /^SQLITE_(AUTH|BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOLFS|NOTADB|PERM|PROTOCOL|READONLY)/;
/**
 * SQLSTATE classes: connection, authorization, database name, resources, operator intervention, system error; and the
 * code 42501 (insufficient privilege).
 */
const sqlStates = /^(?:(?:08|28|3D|53|57|58)[0-9A-Z]{3}|42501)$/;
/** Matches pg's error messages for a connection that was closed or timed out; these errors have no code. */
export const lostConnection = /\btimeout\b|\bterminated\b/i;

/** Thrown if the database could not be reached before the timeout: a restart may succeed. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}
