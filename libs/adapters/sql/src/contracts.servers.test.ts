import { testContracts } from '../test/contract-tests.ts';
import { describePostgresql } from '../test/dialects.ts';

describePostgresql(testContracts);
