/** The database is not one that can be worked with; the message names it and says why. Another start comes to the same. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}

/**
 * What an operator can mend of this failure, in a sentence: the database cannot be opened, is locked, full, damaged, away, or
 * refuses this user. Null for every other error, and for a statement that the database did not take: that is a bug.
 */
export const databaseFault = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof DatabaseOpenError) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isState =
    sqliteStates.test(code) || sqlStates.test(code) || (code === '' && lostConnection.test(error.message));
  return isState ? `The database failed: ${error.message}${code && ` (${code})`}` : null;
};

const sqliteStates = /^SQLITE_(AUTH|BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOLFS|NOTADB|PERM|PROTOCOL|READONLY)/;
/** Classes of SQLSTATE: connections, who may sign in, which database, resources, operators, the system itself; and one of 42. */
const sqlStates = /^(?:(?:08|28|3D|53|57|58)[0-9A-Z]{3}|42501)$/;
/** What pg says, without a code, where a connection ends or is not made in time. */
export const lostConnection = /\btimeout\b|\bterminated\b/i;

/** The database could not be reached for as long as it was tried: another start may succeed. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}
