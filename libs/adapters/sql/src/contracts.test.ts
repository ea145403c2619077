import { testContracts } from '../test/contract-tests.ts';
import { describeSqlite } from '../test/dialects.ts';

describeSqlite(testContracts);
