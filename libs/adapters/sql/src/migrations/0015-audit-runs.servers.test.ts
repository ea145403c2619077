import { testAuditRuns } from '../../test/audit-run-tests.ts';
import { describePostgresql } from '../../test/dialects.ts';

describePostgresql(testAuditRuns);
