import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startComposed } from '../start-composed.ts';
import type { Servers } from '../start-servers.ts';
import type { StartOptions, Subject } from '../subject.ts';
import type { StartReplicas } from './revocation-suite.ts';

const options: StartOptions = {
  settings: { callLimit: null, defaultLimit: { allowed: 1_000_000, windowSeconds: 60 }, failedCredentialsLimit: null },
};

/** Starts one process on SQLite. */
export const startOne: StartReplicas = async () => [await startComposed()(options)];

/** Starts two processes with the same keys and stores. */
export const startTwo =
  ({ createVariables }: Servers): StartReplicas =>
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'portico-replicas-'));
    const variables = { ...(await createVariables()), DATA_DIR: dataDir };
    const start = () => startComposed(async () => variables)(options);
    const first = await start();
    const second = await start();
    const close = async (): Promise<void> => {
      await first.close();
      await rm(dataDir, { recursive: true });
    };
    return [{ ...first, close }, second] satisfies readonly Subject[];
  };
