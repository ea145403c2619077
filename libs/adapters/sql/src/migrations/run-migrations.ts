import type { IMigrator } from '@mikro-orm/core';
import type { Log } from '@portico/dependencies';
import type { AppliedMigration } from './migration.ts';

/** Runs the pending migrations and logs each one with its duration, at level `debug` if there were no tables before. */
export const runMigrations = async (migrator: IMigrator, log: Log): Promise<readonly AppliedMigration[]> => {
  const pendingMigrations = await migrator.getPending();
  const isFirst = (await migrator.getExecuted()).length === 0;
  if (pendingMigrations.length > 0 && !isFirst) {
    log.info({ pending: pendingMigrations.length }, 'The database schema is outdated: migrating it now');
  }
  const appliedMigrations: AppliedMigration[] = [];
  let startedAt = 0;
  migrator.on('migrating', async () => void (startedAt = performance.now()));
  migrator.on('migrated', async ({ name }) => {
    const ms = Math.round(performance.now() - startedAt);
    appliedMigrations.push({ name, ms });
    log[isFirst ? 'debug' : 'info']({ migration: name, ms }, `Migration ${name} ran in ${ms} ms`);
  });
  await migrator.up();
  return appliedMigrations;
};
