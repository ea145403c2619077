import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { startPostgres, startRedis } from '@portico/test-servers';
import { fillCatalog, type FilledCatalog } from './catalog.ts';
import { createInstallation, type Installation } from './installation.ts';

export interface Filled {
  readonly installation: Installation;
  readonly catalog: FilledCatalog;
}

/** Where installations are made, and what is gone after `close`. */
export interface Workbench {
  /** Temporary. */
  readonly folder: string;
  /** Makes and fills an installation of the sources in `root`, or takes the one that was kept. */
  readonly fill: (name: string, root: string) => Promise<Filled>;
  /** What `close` does, the last first. */
  readonly atClose: (end: () => unknown) => void;
  readonly close: () => Promise<void>;
}

export interface WorkbenchOptions {
  /** On PostgreSQL and Redis. */
  readonly servers: boolean;
  /** How many collections each installation has. */
  readonly collections: number;
  /** Where installations are kept; null: they are temporary. */
  readonly data: string | null;
}

export const openWorkbench = async ({ servers, collections, data }: WorkbenchOptions): Promise<Workbench> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const atClose = (end: () => unknown): void => void ends.push(end);
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const newServers = servers ? await startServers(atClose) : () => Promise.resolve({});
    const fill = async (name: string, root: string): Promise<Filled> => {
      const own = join(data ?? folder, `${name}-${collections}`);
      const installation = await createInstallation(name, root, own, await newServers());
      const record = join(own, 'catalog.json');
      if (!existsSync(record)) {
        progress(`${name}: filling ${collections} collections`);
        const subject = await installation.start();
        try {
          writeFileSync(record, JSON.stringify(await fillCatalog(installation, subject, collections)));
        } finally {
          await subject.end();
        }
      }
      return { installation, catalog: JSON.parse(readFileSync(record, 'utf8')) as FilledCatalog };
    };
    return { folder, fill, atClose, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Each installation has a database and a Redis of its own. */
const startServers = async (atClose: Workbench['atClose']): Promise<() => Promise<Environment>> => {
  const postgres = await startPostgres({ durable: true });
  if (!postgres) throw new Error('PostgreSQL is not available');
  atClose(() => postgres.close());
  return async () => {
    const redis = await startRedis();
    if (!redis) throw new Error('Redis is not available');
    atClose(() => redis.close());
    return { DATABASE_URL: await postgres.newDatabase(), REDIS_URL: redis.url };
  };
};

/** To standard error, which is not part of the figures. */
export const progress = (what: string): void => void process.stderr.write(`… ${what}\n`);
