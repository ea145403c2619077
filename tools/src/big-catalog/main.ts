import { compose, createLogger, readConfig } from '@portico/composition';
import { createDice } from './dice.ts';
import { fill } from './fill.ts';
import { sizesFrom } from './sizes.ts';

/**
 * `npm run big-catalog -- --people 10000 …`: fills the database that the environment names (`DATA_DIR` or
 * `DATABASE_URL`), which must be empty, with a catalog as large as a large organisation's, for measuring. The service
 * must not run meanwhile. The first admin is made by the service's next start, as in any new installation.
 */
const sizes = sizesFrom(process.argv.slice(2));
const config = readConfig({ ...process.env, JOBS: 'off' });
const portico = await compose(config, createLogger('warn', 'big-catalog'), 'tool');
try {
  const { ports, documents } = portico;
  const everybody = await ports.profiles.list();
  if (everybody.length > 1) throw new Error('The database is not empty: name another DATA_DIR or DATABASE_URL');
  const start = performance.now();
  await fill(ports, documents, sizes, createDice(sizes.seed), ports.clock.now(), (what) => {
    process.stdout.write(`${((performance.now() - start) / 1_000).toFixed(1).padStart(6)} s  ${what}\n`);
  });
} finally {
  await portico.close();
}
