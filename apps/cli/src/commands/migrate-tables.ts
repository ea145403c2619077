import { migrateTables, type Config, type Portico } from '@portico/composition';
import { formatCount, type Terminal } from '../terminal.ts';

/** Migrates the database schema to this version and logs the migrations. */
export const bringTablesUpToDate = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
): Promise<void> => {
  const migrations = await migrateTables(config, logger);
  const ms = migrations.reduce((sum, migration) => sum + migration.ms, 0);
  terminal.printResult({ migrations, ms }, [
    migrations.length === 0
      ? 'Nothing to do: the tables are up to date.'
      : `${formatCount(migrations.length, 'migration')} ran in ${ms} ms. The tables are up to date.`,
  ]);
};
