import { startPostgres } from '@portico/test-servers';
import { afterAll, describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { deadlineSuite } from './deadline-suite.ts';
import { isRepresentative } from './is-representative.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.close());

describe.skipIf(!postgres)('on PostgreSQL', () => {
  const variables = async () => ({ DATABASE_URL: await postgres?.newDatabase() });
  deadlineSuite((options) => startComposed(variables, options)(), isRepresentative);
});
