import type { InspectedDatabase } from '@portico/sql';
import { skip, type Findings, type Check } from './check.ts';

/**
 * Runs a check on the stores of a database whose tables are up to date. `withoutTables` is used for a database without
 * tables. The tables of an earlier version cannot be read yet.
 */
export const checkStores =
  (
    check: (stores: InspectedDatabase['stores'], examination: Parameters<Check['execute']>[0]) => Promise<Findings>,
    withoutTables: (examination: Parameters<Check['execute']>[0]) => Findings | Promise<Findings>,
  ): Check['execute'] =>
  async (examination) => {
    const database = await examination.getDatabase();
    if (database === null || database.tables.state === 'new') return withoutTables(examination);
    if (database.tables.state !== 'current') return skip('Not checked: the tables must be migrated first.');
    return check(database.stores, examination);
  };
