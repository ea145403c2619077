import { testAuditRuns } from '../../test/audit-run-tests.ts';
import { describeSqlite } from '../../test/dialects.ts';

describeSqlite(testAuditRuns);
