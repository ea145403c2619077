import { startPostgres } from '@portico/test-servers';
import { afterAll, describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { deadlineSuite } from './deadline-suite.ts';
import { isRepresentative } from './is-representative.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.close());

describe.skipIf(!postgres)('on PostgreSQL', () => {
  const createVariables = async () => ({ DATABASE_URL: await postgres?.createDatabase() });
  deadlineSuite((options) => startComposed(createVariables, options)(), isRepresentative);
});
