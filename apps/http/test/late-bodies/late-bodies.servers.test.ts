import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { startServers, type Servers } from '../start-servers.ts';
import { lateBodiesSuite, type ReplicatedService } from './late-bodies-suite.ts';

const servers = await startServers();

/** Starts two replicas with the same keys. */
const startTwoServices =
  ({ createVariables }: Servers) =>
  async (): Promise<ReplicatedService> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'portico-late-bodies-'));
    const sharedVariables = { ...(await createVariables()), DATA_DIR: dataDir };
    const start = startComposed(async () => sharedVariables);
    const firstService = await start();
    const secondService = await start();
    return {
      ...firstService,
      replica: secondService.address,
      close: async () => {
        await secondService.close();
        await firstService.close();
        await rm(dataDir, { recursive: true });
      },
    };
  };

describe.skipIf(!servers)('on two replicas with PostgreSQL and Redis', () => {
  if (servers) lateBodiesSuite(startTwoServices(servers));
});
