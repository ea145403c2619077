import { DatabaseSync } from 'node:sqlite';

/** Has readers of the file wait for nobody, as every product that uses SQLite in earnest does; it stays so. */
export const writeAhead = (file: string): void => {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
};
