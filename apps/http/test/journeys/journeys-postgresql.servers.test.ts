import { describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { startServers } from '../start-servers.ts';
import { journeysOverStores } from './journeys.ts';

const servers = await startServers();

describe.skipIf(!servers)('on PostgreSQL and Redis', () => journeysOverStores(startComposed(servers?.createVariables)));
