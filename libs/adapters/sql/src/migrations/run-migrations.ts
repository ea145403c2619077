import type { IMigrator } from '@mikro-orm/core';
import type { Log } from '@portico/dependencies';
import type { RanMigration } from './migration.ts';

/** Runs what is pending, and logs each migration with its time; those that make the first tables only in detail. */
export const runMigrations = async (migrator: IMigrator, log: Log): Promise<readonly RanMigration[]> => {
  const pending = await migrator.getPending();
  const isFirst = (await migrator.getExecuted()).length === 0;
  if (pending.length > 0 && !isFirst) {
    log.info({ pending: pending.length }, 'The tables are of an earlier version: they are migrated now');
  }
  const ran: RanMigration[] = [];
  let beganAt = 0;
  migrator.on('migrating', async () => void (beganAt = performance.now()));
  migrator.on('migrated', async ({ name }) => {
    const ms = Math.round(performance.now() - beganAt);
    ran.push({ name, ms });
    log[isFirst ? 'debug' : 'info']({ migration: name, ms }, `Migration ${name} ran in ${ms} ms`);
  });
  await migrator.up();
  return ran;
};
