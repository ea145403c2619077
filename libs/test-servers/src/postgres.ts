import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { skipUnlessRequired } from './skip-unless-required.ts';
import { findInVersionFolders, findOnPath } from './binaries.ts';
import { startContainer } from './container.ts';
import { findNonRootAccount, createServerFolder, type Account } from './server-folder.ts';
import { ServerProcess, type ServerControl } from './server-process.ts';
import { startWatchdog } from './watchdog.ts';

const run = promisify(execFile);
const oldestMajor = 14;
const debianVersionFolders = '/usr/lib/postgresql';

export interface TestPostgres {
  /** The URL of the server's database `postgres`, including user and password. */
  url: string;
  /**
   * Creates a database on this server and returns its URL. The database is empty, or a copy of the one at the given
   * URL, which must have no connections. It is dropped by `close()` at the latest.
   */
  createDatabase(template?: string): Promise<string>;
  /** Controls the server; null for a server that tests may not stop. */
  control: ServerControl | null;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /**
   * Whether each commit waits for the disk, as in production. Such a server is always private. By default
   * (`fsync=off`), a commit survives an immediate stop of the server, but not a crash of the machine, and is several
   * times faster.
   */
  durable?: boolean;
  /**
   * The folder that contains one folder per version; `/usr/lib/postgresql` by default. It is searched in addition to
   * PATH.
   */
  versionFolders?: string;
}

/** Returns a PostgreSQL server, or null if none is available. See the top of `index.ts` for the search order. */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres | null> {
  const externalUrl = process.env['TEST_POSTGRES_URL'];
  if (externalUrl && !options.durable) return useExternalPostgres(externalUrl);
  const binaries = await findBinaries(options.versionFolders ?? debianVersionFolders);
  if (binaries) return startPrivatePostgres(binaries, options.durable ?? false);
  return (
    (await startContainerPostgres()) ??
    skipUnlessRequired(
      'PostgreSQL',
      `install its server, version ${oldestMajor} or newer (Debian, Ubuntu: apt-get install postgresql), ` +
        'start a container engine, or name a server in TEST_POSTGRES_URL',
    )
  );
}

async function useExternalPostgres(url: string): Promise<TestPostgres> {
  const psql = findOnPath('psql') ?? findInVersionFolders(debianVersionFolders, 'psql')[0];
  if (!psql) throw new Error('TEST_POSTGRES_URL requires psql: install the PostgreSQL client.');
  const createdNames: string[] = [];
  return {
    url,
    control: null,
    async createDatabase(template) {
      const name = createDatabaseName();
      await runStatement(psql, url, toCreateStatement(name, template));
      createdNames.push(name);
      return replaceDatabase(url, name);
    },
    async close() {
      for (const name of createdNames.splice(0))
        await runStatement(psql, url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function startPrivatePostgres(binaries: string, durable: boolean): Promise<TestPostgres> {
  const account = findNonRootAccount('postgres');
  const folder = createServerFolder('postgres', account);
  const watchdog = startWatchdog(folder, 'QUIT');
  try {
    const password = randomBytes(16).toString('hex');
    await initialise(binaries, folder, account, password);
    const server = await ServerProcess.start({
      program: join(binaries, 'postgres'),
      createArguments: (port) => ['-D', join(folder, 'data'), '-p', String(port), ...createServerSettings(durable)],
      readyMessage: 'database system is ready to accept connections',
      portTakenMessage: 'could not bind',
      stopSignals: { fast: 'SIGINT', immediate: 'SIGQUIT' },
      folder,
      account,
      watchdog,
    });
    const url = `postgresql://portico:${password}@127.0.0.1:${server.port}/postgres`;
    return {
      url,
      control: server,
      async createDatabase(template) {
        const name = createDatabaseName();
        await runStatement(join(binaries, 'psql'), url, toCreateStatement(name, template));
        return replaceDatabase(url, name);
      },
      async close() {
        await server.stop('immediate');
        await watchdog.release();
      },
    };
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

async function initialise(binaries: string, folder: string, account: Account | null, password: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';
  await run(
    join(binaries, 'initdb'),
    [
      ...['-D', join(folder, 'data'), '-U', 'portico', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...[`--locale=${locale}`, '--encoding=UTF8', '--no-sync'],
    ],
    { cwd: folder, ...account },
  );
}

const createServerSettings = (durable: boolean) =>
  [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=32MB',
    'logging_collector=off',
    'log_destination=stderr',
    'lc_messages=C',
    `fsync=${durable ? 'on' : 'off'}`,
  ].flatMap((setting) => ['-c', setting]);

async function startContainerPostgres(): Promise<TestPostgres | null> {
  const password = randomBytes(16).toString('hex');
  const container = await startContainer({
    image: 'postgres:17',
    port: 5432,
    environment: { POSTGRES_USER: 'portico', POSTGRES_PASSWORD: password, POSTGRES_DB: 'postgres' },
    // When the message first appears, the image is only setting up the database.
    readyMessage: [/database system is ready to accept connections/, 2],
  });
  if (!container) return null;
  const url = `postgresql://portico:${password}@${container.host}:${container.port}/postgres`;
  return {
    url,
    control: null,
    async createDatabase(template) {
      const name = createDatabaseName();
      await container.run(['psql', '-U', 'portico', '-d', 'postgres', '-c', toCreateStatement(name, template)]);
      return replaceDatabase(url, name);
    },
    close: () => container.close(),
  };
}

/**
 * Returns the folder that contains `initdb`, `postgres` and `psql`, version 14 or newer. A link on PATH is resolved.
 */
async function findBinaries(versionFolders: string): Promise<string | null> {
  const paths = [findOnPath('initdb'), ...findInVersionFolders(versionFolders, 'initdb')].filter(
    (path) => path !== null,
  );
  const candidates = await Promise.all(
    paths.map(async (path) => ({ folder: dirname(realpathSync(path)), major: await majorOf(path) })),
  );
  const usableBinaries = candidates
    .filter(({ folder, major }) => major >= oldestMajor && existsSync(join(folder, 'postgres')))
    .sort((a, b) => b.major - a.major);
  return usableBinaries[0]?.folder ?? null;
}

/** Returns the major version, which is 15 for "initdb (PostgreSQL) 15.18 (Debian …)". */
async function majorOf(initdb: string): Promise<number> {
  const { stdout } = await run(initdb, ['--version']);
  return Number(/\) (\d+)/.exec(stdout)?.[1] ?? 0);
}

/** Runs one statement with psql. The password is passed in the environment, so that no process list shows it. */
async function runStatement(psql: string, url: string, statement: string): Promise<void> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  await run(psql, ['--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-q', '-d', address.href, '-c', statement], {
    env: { ...process.env, PGPASSWORD: password },
    timeout: 2 * 60_000,
  });
}

const createDatabaseName = () => `portico_${randomBytes(8).toString('hex')}`;

const toCreateStatement = (name: string, template?: string): string =>
  `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${new URL(template).pathname.slice(1)}`}`;

function replaceDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
