import type { InspectedDatabase } from '@portico/sql';
import type { Config } from '../../config.ts';
import { isWithin } from '../../wiring/embedded-files.ts';
import { ok, skipped, warning, wrong, type Check, type Finding } from '../check.ts';
import { checkClock } from '../check-clock.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const noDatabase = 'There is no database yet; the first start creates it.';

/** The largest file that is read: reading a file of this size takes a second or two. */
const readBytesMax = 256 * 2 ** 20;

const onServer = ({ database }: Config) =>
  database.kind === 'postgresql' ? null : 'The database is a file on this machine.';
const onFile = ({ database }: Config) => (database.kind === 'sqlite' ? null : 'PostgreSQL checks its own files.');

/** A database that does not exist yet needs no further checks. */
const checkDatabase =
  (check: (database: InspectedDatabase) => Finding): Check['execute'] =>
  async ({ database }) => {
    const inspected = await database();
    return inspected ? check(inspected) : ok(noDatabase);
  };

export const databaseChecks: readonly Check[] = [
  {
    id: 'database.access',
    needs: ['configuration'],
    alsoNeeds: ({ database, dataDir }) =>
      database.kind === 'sqlite' && isWithin(dataDir, database.file) ? ['data.folder'] : [],
    execute: async ({ config, database }) => {
      try {
        const inspected = await database();
        return ok(inspected ? `The database is ${inspected.product}.` : noDatabase);
      } catch (error) {
        return wrong(sentence(reasonOf(error)), accessAdvice(config(), error));
      }
    },
    advice: 'Start the database, or correct DATABASE_URL.',
  },
  {
    id: 'database.version',
    needs: ['database.access'],
    findSkipReason: onServer,
    execute: checkDatabase(({ isTooOld, product }) =>
      isTooOld
        ? wrong(`${product} is too old.`, 'Upgrade it to PostgreSQL 14 or newer.')
        : ok(`${product} is supported.`),
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
    execute: checkDatabase(({ refusesWrites }) =>
      refusesWrites === null
        ? ok('The database accepts writes.')
        : wrong(
            sentence(`The database accepts no writes: ${refusesWrites}`),
            'Give this user the right to write, or name the server that accepts writes in DATABASE_URL.',
          ),
    ),
    advice: 'Name a database that accepts writes in DATABASE_URL.',
  },
  {
    id: 'database.intact',
    needs: ['database.tables'],
    findSkipReason: onFile,
    execute: checkDatabase(({ file }) => {
      if (file === null || file.bytes > readBytesMax)
        return skipped('The database is too large to be read whole here; "portico backup" checks it.');
      const damage = file.findDamage();
      return damage === null
        ? ok('The database is intact.')
        : wrong(sentence(`The database is damaged: ${damage}`), damageAdvice);
    }),
    advice: 'Stop the service, and restore a backup (portico restore FILE).',
  },
  {
    id: 'clock.database',
    needs: ['database.access'],
    findSkipReason: onServer,
    execute: checkDatabase(({ aheadMs }) => checkClock('the database server', aheadMs)),
    advice: 'Run NTP on both machines.',
  },
];

const damageAdvice = 'Stop the service, keep a copy of the file, and restore a backup (portico restore FILE).';

const checkTables = (tables: InspectedDatabase['tables']): Finding => {
  switch (tables.state) {
    case 'current':
      return ok('The tables are of this version.');
    case 'new':
      return ok('The database has no tables yet; the first start creates them.');
    case 'behind':
      return warning(
        `The tables are of an earlier version: ${tables.pending} migration${tables.pending === 1 ? '' : 's'} will run.`,
        'Back up first; then portico migrate-tables, or the next start, brings the tables up to date.',
      );
    case 'newer':
      return wrong(
        `A newer version of Portico wrote the database, or one that was never released: this version does not know its migration ${tables.unknown}.`,
        'Run the newer version, or restore a backup from before the upgrade.',
      );
    case 'filling':
      return wrong(
        `The database is ${tables.mark} by portico migrate, which is not done.`,
        'Run portico migrate again to fill it from scratch, or drop the database.',
      );
    case 'foreign':
      return wrong('The file is the SQLite database of another application.', 'Correct DATABASE_URL.');
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
