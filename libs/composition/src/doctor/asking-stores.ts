import type { InspectedDatabase } from '@portico/sql';
import { skipped, type Answer, type Check } from './check.ts';

/**
 * Asks the stores of a database whose tables are those of this version. `ofNone` answers for one without tables, and
 * earlier tables cannot be read yet.
 */
export const askingStores =
  (
    ask: (stores: InspectedDatabase['stores'], examination: Parameters<Check['ask']>[0]) => Promise<Answer>,
    ofNone: (examination: Parameters<Check['ask']>[0]) => Answer | Promise<Answer>,
  ): Check['ask'] =>
  async (examination) => {
    const database = await examination.database();
    if (database === null || database.tables.state === 'new') return ofNone(examination);
    if (database.tables.state !== 'current')
      return skipped('Not asked: the tables have to be brought up to date first.');
    return ask(database.stores, examination);
  };
