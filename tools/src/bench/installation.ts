import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localAdmin, type Environment } from '@portico/composition';
import { findFreePort, startPostgres, startRedis } from '@portico/test-servers';
import { serviceArguments } from '../service-process.ts';
import { startSubject, type Subject } from './subject.ts';

/** An installation of Portico at one commit, with its own data. Its process can be started repeatedly. */
export interface Installation {
  readonly address: string;
  /** The variables for the installation's servers. */
  readonly servers: Environment;
  /** Starts the process; `variables` override the installation's own. */
  readonly start: (variables?: Environment) => Promise<Subject>;
  /** Returns an identity token from the local issuer, valid for a day; without a uid, the admin's. */
  readonly createToken: (uid?: string) => Promise<string>;
}

const toolArguments = ['-C', '@portico/source', 'apps/cli/src/main.ts'];

/** Creates an installation of the sources in `root`: those of this repository, or a checkout of another commit. */
export const createInstallation = async (root: string, folder: string, servers: Environment): Promise<Installation> => {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const environment = {
    PATH: process.env.PATH,
    // The same as for bare Express and in production. Only the local issuer is not meant for production.
    NODE_ENV: 'production',
    IDENTITY_LOCAL: 'true',
    SECRETS_KEY_FILE: join(folder, 'secrets.key'),
    DATA_DIR: folder,
    PORT: String(port),
    RATE_LIMIT_DEFAULT: '100000000/60',
    RATE_LIMIT_ANONYMOUS: 'off',
    ADMIN_NOTICES: 'off',
    ...servers,
  };
  return {
    address,
    servers,
    start: (variables) =>
      startSubject({
        address,
        readyPath: '/health',
        folder: root,
        arguments: serviceArguments,
        environment: { ...environment, ...variables },
        logFile: join(folder, 'service.log'),
      }),
    createToken: async (uid) => {
      const userOptions = uid === undefined ? ['--admin'] : ['--uid', uid, '--email', emailOf(uid)];
      const command = [...toolArguments, 'token', ...userOptions, '--ttl', '86400'];
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: environment });
      return stdout.trim();
    },
  };
};

export const emailOf = (uid: string): string => (uid === localAdmin.uid ? localAdmin.email : `${uid}@example.com`);

/** Creates a folder that is removed when the stack is disposed. */
export const createTemporaryFolder = (stack: AsyncDisposableStack): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/**
 * Returns a function that provides a database and a Redis for each installation. All servers stop when the stack is
 * disposed.
 */
export const startServers = async (stack: AsyncDisposableStack): Promise<() => Promise<Environment>> => {
  const postgres = await startPostgres({ durable: true });
  if (!postgres) throw new Error('PostgreSQL is not available');
  stack.defer(() => postgres.close());
  return async () => {
    const redis = await startRedis();
    if (!redis) throw new Error('Redis is not available');
    stack.defer(() => redis.close());
    return { DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url };
  };
};
