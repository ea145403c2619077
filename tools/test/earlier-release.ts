import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Environment } from '@portico/composition';
import { absent } from '@portico/test-servers';
import { createApiClient, type ApiClient } from '../src/api-client.ts';
import { endProcess, root } from '../src/service-process.ts';
import { inherited } from './run-tool.ts';

/** A release of the past with the packages of its own lockfile, in a folder of its own. */
export interface EarlierRelease {
  /** Starts its service, and waits until it listens. Throws what it said if it ends instead. */
  readonly start: (variables: Environment) => Promise<EarlierService>;
  /** Kills what still runs, and removes the folder. */
  readonly remove: () => Promise<void>;
}

export interface EarlierService {
  readonly api: ApiClient;
  /** Shuts it down gracefully, and waits until it has ended. */
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/** The release of this commit; null, as a server that is absent, if the repository has no such history. */
export const installRelease = async (commit: string): Promise<EarlierRelease | null> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-release-'));
  const children: ChildProcess[] = [];
  const remove = async () => {
    for (const child of children) await endProcess(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (!(await unpack(commit, folder))) {
      await remove();
      return absent(`Commit ${commit}`, 'clone the repository with its whole history (git fetch --unshallow)');
    }
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: ofOtherNpm(process.env),
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    start: async (variables) => {
      const child = spawn(process.execPath, ['-C', '@portico/source', 'apps/http/src/main.ts'], {
        cwd: folder,
        env: { ...inherited, PORT: '0', ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      return { api: createApiClient(await addressOf(child)), stop: () => endProcess(child, 'SIGTERM') };
    },
    remove,
  };
};

/** Returns false if there is no repository, or it lacks the commit. */
const unpack = async (commit: string, folder: string): Promise<boolean> => {
  const archive = join(folder, 'release.tar');
  try {
    await run('git', ['-C', root, 'archive', '--output', archive, commit]);
  } catch {
    return false;
  }
  await run('tar', ['-xf', archive, '-C', folder]);
  return true;
};

/** Without what the npm that runs the tests tells its scripts about this project. */
const ofOtherNpm = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) =>
        !/^npm_(config_(?!registry|cache|userconfig|globalconfig|offline|prefer_offline)|package_|lifecycle_)|^INIT_CWD$/i.test(
          name,
        ),
    ),
  );

/** Reads the log until it says where the service listens. */
const addressOf = async (child: ChildProcess): Promise<string> => {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The output of the service is not piped');
  const said: string[] = [];
  stderr.on('data', (text: Buffer) => said.push(text.toString()));
  for await (const line of createInterface({ input: stdout })) {
    const address = /Listening on (http:\S+?)"/.exec(line)?.[1];
    said.push(`${line}\n`);
    if (address === undefined) continue;
    // Drains the rest, so that it does not fill the pipe.
    stdout.resume();
    return address;
  }
  throw new Error(`The service of the release ended at its start: ${said.join('')}`);
};
