import { describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { startServers } from '../start-servers.ts';
import { lateBodiesSuite } from './late-bodies-suite.ts';

const servers = await startServers();

describe.skipIf(!servers)('on PostgreSQL and Redis', () => lateBodiesSuite(startComposed(servers?.variables)));
