import { describe } from 'vitest';
import { startServers } from '../start-servers.ts';
import { revocationSuite } from './revocation-suite.ts';
import { startOne, startTwo } from './start-replicas.ts';

const servers = await startServers();
const cycles = 150;

describe('on SQLite', () => revocationSuite(startOne, cycles));
describe.skipIf(!servers)('on two replicas with PostgreSQL and Redis', () => {
  if (servers) revocationSuite(startTwo(servers), cycles);
});
