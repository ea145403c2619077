import type { InspectedDatabase } from '@portico/sql';
import type { Config } from '../../config.ts';
import { isWithin } from '../../wiring/embedded-files.ts';
import { pass, skip, warn, fail, type Check, type Finding } from '../check.ts';
import { checkClock } from '../check-clock.ts';
import { reasonOf, toSentence } from '../run-checks.ts';

const noDatabaseMessage = 'There is no database yet; the first start creates it.';

/** The largest file that is read: reading a file of this size takes a second or two. */
const readBytesMax = 256 * 2 ** 20;

const skipUnlessPostgresql = ({ database }: Config) =>
  database.kind === 'postgresql' ? null : 'The database is a file on this machine.';
const skipUnlessSqlite = ({ database }: Config) =>
  database.kind === 'sqlite' ? null : 'PostgreSQL checks its own files.';

/** A database that does not exist yet needs no further checks. */
const checkDatabase =
  (check: (database: InspectedDatabase) => Finding): Check['execute'] =>
  async ({ getDatabase }) => {
    const inspection = await getDatabase();
    return inspection ? check(inspection) : pass(noDatabaseMessage);
  };

export const databaseChecks: readonly Check[] = [
  {
    id: 'database.access',
    needs: ['configuration'],
    listExtraNeeds: ({ database, dataDir }) =>
      database.kind === 'sqlite' && isWithin(dataDir, database.file) ? ['data.folder'] : [],
    execute: async ({ getConfig, getDatabase }) => {
      try {
        const inspection = await getDatabase();
        return pass(inspection ? `The database is ${inspection.product}.` : noDatabaseMessage);
      } catch (error) {
        return fail(toSentence(reasonOf(error)), accessAdvice(getConfig(), error));
      }
    },
    advice: 'Start the database, or correct DATABASE_URL.',
  },
  {
    id: 'database.version',
    needs: ['database.access'],
    findSkipReason: skipUnlessPostgresql,
    execute: checkDatabase(({ isTooOld, product }) =>
      isTooOld
        ? fail(`${product} is too old.`, 'Upgrade it to PostgreSQL 14 or newer.')
        : pass(`${product} is supported.`),
    ),
    advice: 'Use PostgreSQL 14 or newer.',
  },
  {
    id: 'database.tables',
    needs: ['database.access'],
    execute: checkDatabase(({ tables }) => checkTables(tables)),
    advice: 'Restore a backup.',
  },
  {
    id: 'database.writes',
    needs: ['database.access'],
    execute: checkDatabase(({ readOnlyReason: writeError }) =>
      writeError === null
        ? pass('The database accepts writes.')
        : fail(
            toSentence(`The database accepts no writes: ${writeError}`),
            'Give this user write access, or set DATABASE_URL to the server that accepts writes.',
          ),
    ),
    advice: 'Set DATABASE_URL to a database that accepts writes.',
  },
  {
    id: 'database.intact',
    needs: ['database.tables'],
    findSkipReason: skipUnlessSqlite,
    execute: checkDatabase(({ file }) => {
      if (file === null || file.bytes > readBytesMax)
        return skip('The database is too large to be checked here; "portico backup" checks it.');
      const damage = file.findDamage();
      return damage === null
        ? pass('The database is intact.')
        : fail(toSentence(`The database is damaged: ${damage}`), damageAdvice);
    }),
    advice: 'Stop the service, and restore a backup (portico restore FILE).',
  },
  {
    id: 'clock.database',
    needs: ['database.access'],
    findSkipReason: skipUnlessPostgresql,
    execute: checkDatabase(({ clockSkewMs }) => checkClock('the database server', clockSkewMs)),
    advice: 'Run NTP on both machines.',
  },
];

const damageAdvice = 'Stop the service, keep a copy of the file, and restore a backup (portico restore FILE).';

const checkTables = (tables: InspectedDatabase['tables']): Finding => {
  switch (tables.state) {
    case 'current':
      return pass('The tables are up to date.');
    case 'new':
      return pass('The database has no tables yet; the first start creates them.');
    case 'behind':
      return warn(
        `The tables are outdated: ${tables.pendingCount} migration${tables.pendingCount === 1 ? '' : 's'} will run.`,
        'Back up first; then run "portico migrate-tables", or start the service, which migrates the tables.',
      );
    case 'newer':
      return fail(
        `A newer or unreleased version of Portico wrote the database: this version does not know its migration ${tables.unknownMigration}.`,
        'Run the newer version, or restore a backup from before the upgrade.',
      );
    case 'filling':
      return fail(
        `The database is ${tables.mark} by "portico migrate", which has not finished.`,
        'Run "portico migrate" again to fill it from scratch, or drop the database.',
      );
    case 'foreign':
      return fail('The file is the SQLite database of a different application.', 'Correct DATABASE_URL.');
  }
};

const accessAdvice = ({ database }: Config, error: unknown): string => {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (database.kind === 'sqlite') {
    return /^(EACCES|EPERM|EROFS|SQLITE_(READONLY|CANTOPEN|PERM))/.test(code)
      ? `Give the file and its folder to this user: chown, and chmod 600 ${database.file}.`
      : `Correct DATABASE_URL. If it was a database once, it is damaged. ${damageAdvice}`;
  }
  return adviceFor[code] ?? 'Start the server, or correct host and port in DATABASE_URL.';
};

/** Advice by SQLSTATE. */
const adviceFor: Readonly<Record<string, string>> = {
  '28P01': 'Correct user and password in DATABASE_URL.',
  '28000': 'Correct the user in DATABASE_URL, or allow it in pg_hba.conf.',
  '3D000': 'Create the database (createdb), or correct its name in DATABASE_URL.',
  '42501': 'Grant this user the right to connect to the database.',
  '53300': 'Raise max_connections of the server, or run fewer processes.',
};
