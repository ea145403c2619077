import { describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { startServers } from '../start-servers.ts';
import { allCalls } from './calls.ts';

const servers = await startServers();

describe.skipIf(!servers)('on PostgreSQL and Redis', () => allCalls(startComposed(servers?.createVariables)));
