import { describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { startServers } from '../start-servers.ts';
import { clientsSuite } from './clients-suite.ts';
import { namesakesSuite } from './namesakes-suite.ts';
import { operationsSuite } from './operations-suite.ts';

const servers = await startServers();

describe.skipIf(!servers)('on PostgreSQL and Redis', () => {
  const start = startComposed(servers?.createVariables);

  describe('official clients', () => clientsSuite(start));
  describe('operations', () => operationsSuite(start));
  describe('APIs with the same name', () => namesakesSuite(start));
});
