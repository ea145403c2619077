import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { startServers, type Servers } from '../start-servers.ts';
import { lateBodiesSuite, type ReplicatedService } from './late-bodies-suite.ts';

const servers = await startServers();

/** Starts two replicas with the same keys. */
const startTwo =
  ({ variables }: Servers) =>
  async (): Promise<ReplicatedService> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'portico-late-bodies-'));
    const shared = { ...(await variables()), DATA_DIR: dataDir };
    const start = startComposed(async () => shared);
    const first = await start();
    const second = await start();
    return {
      ...first,
      replica: second.address,
      close: async () => {
        await second.close();
        await first.close();
        await rm(dataDir, { recursive: true });
      },
    };
  };

describe.skipIf(!servers)('on two replicas with PostgreSQL and Redis', () => {
  if (servers) lateBodiesSuite(startTwo(servers));
});
