import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Environment } from '@portico/composition';
import { skipUnlessRequired } from '@portico/test-servers';
import { createApiClient, type ApiClient } from '../src/api-client.ts';
import { endProcess, root } from '../src/service-process.ts';
import { inheritedVariables } from './run-tool.ts';

/** An earlier release in a separate folder, with the packages of its lockfile. */
export interface EarlierRelease {
  /**
   * Starts the release's service and waits until it listens. Throws an error with the service's output if it exits
   * instead.
   */
  readonly start: (variables: Environment) => Promise<EarlierService>;
  /** Kills processes that are still running, and removes the folder. */
  readonly remove: () => Promise<void>;
}

export interface EarlierService {
  readonly api: ApiClient;
  /** Shuts the service down gracefully and waits until it has exited. */
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/**
 * Installs the release at this commit. If the history does not contain the commit, returns null, so that the tests are
 * skipped as for a missing server.
 */
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
      return skipUnlessRequired(
        `Commit ${commit}`,
        'clone the repository with its full history (git fetch --unshallow)',
      );
    }
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: omitNpmContext(process.env),
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    start: async (variables) => {
      const child = spawn(process.execPath, ['-C', '@portico/source', 'apps/http/src/main.ts'], {
        cwd: folder,
        env: { ...inheritedVariables, PORT: '0', ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      return { api: createApiClient(await addressOf(child)), stop: () => endProcess(child, 'SIGTERM') };
    },
    remove,
  };
};

/**
 * Unpacks the commit into the folder. Returns false if there is no repository, or if it does not contain the commit.
 */
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

/** Omits the project-specific variables that npm sets when it runs a script. */
const omitNpmContext = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) =>
        !/^npm_(config_(?!registry|cache|userconfig|globalconfig|offline|prefer_offline)|package_|lifecycle_)|^INIT_CWD$/i.test(
          name,
        ),
    ),
  );

/** Reads the log until it contains the service's URL. */
const addressOf = async (child: ChildProcess): Promise<string> => {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The output of the service is not piped');
  const output: string[] = [];
  stderr.on('data', (text: Buffer) => output.push(text.toString()));
  for await (const line of createInterface({ input: stdout })) {
    const address = /Listening on (http:\S+?)"/.exec(line)?.[1];
    output.push(`${line}\n`);
    if (address === undefined) continue;
    // Drains the rest of the output, so that it does not fill the pipe.
    stdout.resume();
    return address;
  }
  throw new Error(`The service of the release exited during startup: ${output.join('')}`);
};
