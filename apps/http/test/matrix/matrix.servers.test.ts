import { describe } from 'vitest';
import { startServers } from '../start-servers.ts';
import { sampledCases } from './all-cases.ts';
import { matrixSuite } from './matrix-suite.ts';
import { createRecordedService } from './recorded-service.ts';
import { startComposed } from './start-composed.ts';
import { startOnMemory } from './start-on-memory.ts';

const servers = await startServers();

describe.skipIf(!servers)('on PostgreSQL and Redis', () =>
  matrixSuite(createRecordedService(startComposed(servers?.createVariables)), {
    cases: sampledCases,
    reference: createRecordedService(startOnMemory),
  }),
);
