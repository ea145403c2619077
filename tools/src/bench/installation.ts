import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localAdmin, type Environment } from '@portico/composition';
import { freePort } from '@portico/test-servers';
import { serviceArguments } from '../service-process.ts';
import { startSubject, type Subject } from './subject.ts';

/** Portico of one commit on data of its own; its process may be started again and again. */
export interface Installation {
  readonly name: string;
  readonly address: string;
  /** The servers that it uses, as variables. */
  readonly servers: Environment;
  readonly logFile: string;
  /** `nodeArguments` come before its program; `variables` replace its own. */
  readonly start: (how?: StartOptions) => Promise<Subject>;
  /** An identity token of its local issuer; without a uid, the admin's. Valid for a day. */
  readonly token: (uid?: string) => Promise<string>;
}

export interface StartOptions {
  readonly nodeArguments?: readonly string[];
  readonly variables?: Environment;
}

const tool = ['-C', '@portico/source', 'apps/cli/src/main.ts'];

/** `root`: the repository, or another commit of it. */
export const createInstallation = async (
  name: string,
  root: string,
  folder: string,
  servers: Environment,
): Promise<Installation> => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const environment = {
    PATH: process.env.PATH,
    // As bare Express, and as operators run it; only the local issuer is for trying it out.
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
  const logFile = join(folder, 'service.log');
  return {
    name,
    address,
    servers,
    logFile,
    start: ({ nodeArguments = [], variables = {} } = {}) =>
      startSubject({
        name,
        address,
        ready: '/health',
        folder: root,
        arguments: [...nodeArguments, ...serviceArguments],
        environment: { ...environment, ...variables },
        logFile,
      }),
    token: async (uid) => {
      const user = uid === undefined ? ['--admin'] : ['--uid', uid, '--email', emailOf(uid)];
      const command = [...tool, 'token', ...user, '--ttl', '86400'];
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: environment });
      return stdout.trim();
    },
  };
};

export const emailOf = (uid: string): string => (uid === localAdmin.uid ? localAdmin.email : `${uid}@example.com`);
