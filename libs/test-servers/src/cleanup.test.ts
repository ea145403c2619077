import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { isAccepting, portOf } from '../test/raw-socket.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

const run = promisify(execFile);
const scriptPathOf = (name: string) => join(import.meta.dirname, '..', 'test', name);

/** The folder in which the servers create their files. It shows the files that they leave behind. */
const serversFolder = mkdtempSync(join(tmpdir(), 'portico-left-behind-'));
chmodSync(serversFolder, 0o755);
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(serversFolder, { recursive: true }));

/**
 * Returns the ids of the processes whose working directory is in this folder, such as the servers. Works only on Linux.
 */
const processesIn = (folder: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(join('/proc', pid, 'cwd')).startsWith(folder);
    } catch {
      return false;
    }
  });

const probes = [await startPostgres(), await startRedis()];
for (const server of probes) await server?.close();
const areAllPrivate = probes.every((server) => server?.control);

describe.skipIf(!areAllPrivate || process.platform !== 'linux')('Private servers', () => {
  it.each(['running', 'paused', 'stopped'])(
    'leave no processes and no files behind when they are closed while %s',
    async (state) => {
      vi.stubEnv('TMPDIR', serversFolder);
      const servers = [await startPostgres(), await startRedis()];
      expect(readdirSync(serversFolder)).toHaveLength(2);
      expect(processesIn(serversFolder).length).toBeGreaterThanOrEqual(2);
      for (const server of servers) {
        if (state === 'paused') await server!.control!.pause();
        if (state === 'stopped') await server!.control!.stop();
        await server!.close();
      }
      expect(readdirSync(serversFolder)).toEqual([]);
      expect(processesIn(serversFolder)).toEqual([]);
    },
  );

  it.each(['running', 'paused'])(
    'leave nothing behind when the process that started them is killed while they are %s',
    async (state) => {
      const parent = spawn(process.execPath, ['-C', '@portico/source', scriptPathOf('start-and-stay.ts'), state], {
        env: { ...process.env, TMPDIR: serversFolder },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
      const ports = (JSON.parse(line) as string[]).map(portOf);
      expect(processesIn(serversFolder).length).toBeGreaterThanOrEqual(2);
      parent.kill('SIGKILL');
      await vi.waitFor(
        async () => {
          expect(readdirSync(serversFolder)).toEqual([]);
          expect(processesIn(serversFolder)).toEqual([]);
          expect(await Promise.all(ports.map(isAccepting))).toEqual([false, false]);
        },
        { timeout: 2 * 60_000, interval: 50 },
      );
    },
  );

  it('do not keep a process alive if it forgets to close them', async () => {
    const source = `import { startRedis } from ${JSON.stringify(join(import.meta.dirname, 'redis.ts'))}; await startRedis();`;
    await run(process.execPath, ['--input-type=module-typescript', '-e', source], {
      env: { ...process.env, TMPDIR: serversFolder },
    });
    await vi.waitFor(() => expect(readdirSync(serversFolder)).toEqual([]), { timeout: 2 * 60_000, interval: 50 });
  });
});

describe('If no server is available', () => {
  const environment = {
    TEST_POSTGRES_URL: '',
    TEST_REDIS_URL: '',
    TEST_CONTAINERS: '0',
    REQUIRE_SERVICES: '',
    PATH: '',
  };
  const start = async (variables: Record<string, string>) => {
    const { stdout } = await run(
      process.execPath,
      ['-C', '@portico/source', scriptPathOf('start-without-programs.ts')],
      {
        env: { ...process.env, ...environment, ...variables },
      },
    );
    return JSON.parse(stdout) as unknown[];
  };

  it('the result is null, and its tests are skipped', async () => {
    expect(await start({})).toEqual([null, null]);
  });

  it('REQUIRE_SERVICES=1 turns it into an error that names what to install', async () => {
    expect(await start({ REQUIRE_SERVICES: '1' })).toEqual([
      expect.stringMatching(/^PostgreSQL is required .*apt-get install postgresql/),
      expect.stringMatching(/^Redis is required .*apt-get install redis-server/),
    ]);
  });
});
