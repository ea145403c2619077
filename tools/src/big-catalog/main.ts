import { parseArgs } from 'node:util';
import { compose, createLogger, readConfig } from '@portico/composition';
import { createSeededRandom } from '../seeded-random.ts';
import { Filler } from './fill.ts';

/**
 * `npm run big-catalog -- --people 10000 …`: fills the configured database (`DATA_DIR` or `DATABASE_URL`), which must
 * be empty, with a large organisation's catalog, for measurements. The service must not be running at the same time.
 * When the service starts next, it creates the first admin, as in any new installation.
 */
const options = {
  people: { type: 'string', default: '10000' },
  collections: { type: 'string', default: '10000' },
  groups: { type: 'string', default: '1000' },
  entries: { type: 'string', default: '1000000' },
  seed: { type: 'string', default: '1' },
} as const;

const { values } = parseArgs({ options });
const invalidOption = Object.entries(values).find(([, text]) => !/^\d{1,9}$/.test(text));
if (invalidOption) throw new Error(`--${invalidOption[0]} must be a whole number`);
const portico = await compose(readConfig({ ...process.env, JOBS: 'off' }), createLogger('warn', 'big-catalog'), 'tool');
try {
  const { ports, documents } = portico;
  if ((await ports.profiles.list()).length > 1)
    throw new Error('The database is not empty: set a different DATA_DIR or DATABASE_URL');
  const filler = new Filler({
    ports,
    documents,
    random: createSeededRandom(Number(values.seed)),
    now: ports.clock.now(),
  });
  await filler.addPeople(Number(values.people));
  await filler.addCollections(Number(values.collections));
  await filler.addGroups(Number(values.groups));
  await filler.addGrants();
  await filler.addRequests();
  await filler.addUsage();
  await filler.addEntries(Number(values.entries));
} finally {
  await portico.close();
}
