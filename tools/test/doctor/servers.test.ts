import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  skipUnlessRequired,
  fakeNomic,
  findOnPath,
  startFakeOllama,
  startPostgres,
  startFakeQdrant,
  startRedis,
  startSmtpServer,
  type RedisOptions,
  type SmtpServerTestOptions,
} from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openInstallation } from '../provide-installation.ts';
import {
  createHealthyInstallation,
  runDoctor,
  expectDiagnosis,
  password,
  type Fault,
  type Variables,
} from './diagnosis.ts';

const [postgres, redis] = [await startPostgres(), await startRedis()];
const psql = findOnPath('psql') ?? skipUnlessRequired('psql', 'install the PostgreSQL client');
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

let healthyInstallation: Awaited<ReturnType<typeof createHealthyInstallation>>;
beforeAll(async () => {
  healthyInstallation = await createHealthyInstallation();
});
afterAll(() => healthyInstallation.remove());

/** An address where nothing is listening. */
const closedAddress = '127.0.0.1:9';
const storeChecks = [
  'keys.sealed',
  'admins',
  'names.equal',
  'revisions',
  'webhooks',
  'jobs.given-up',
  'jobs.waiting',
  'redis.installations',
];
const databaseChecks = [...storeChecks, 'database.version', 'database.tables', 'database.writes', 'clock.database'];

/** Creates a database, lets the tool migrate it, and runs these statements. Returns the variables for the database. */
const migrate = async (folder: string, ...statements: readonly string[]): Promise<Variables> => {
  const variables = await createServerVariables();
  const installation = await openInstallation({ DATA_DIR: folder, ...variables });
  expect((await installation.runTool('people', 'list', '--admins')).code).toBe(0);
  for (const statement of statements)
    execFileSync(psql ?? '', ['-qv', 'ON_ERROR_STOP=1', '-d', variables.DATABASE_URL ?? '', '-c', statement]);
  return variables;
};

/** Returns the variables for a new database and for Redis. */
const createServerVariables = async (): Promise<Variables> => ({
  DATABASE_URL: (await postgres?.createDatabase()) ?? '',
  REDIS_URL: redis?.url ?? '',
});

const withPassword = (url: string, newPassword: string): string =>
  Object.assign(new URL(url), { password: newPassword }).href;

const postgresqlFaults: readonly Fault[] = [
  {
    fault: 'PostgreSQL is unavailable',
    inject: async () => ({
      ...(await createServerVariables()),
      DATABASE_URL: `postgresql://portico:${password}@${closedAddress}/portico`,
    }),
    id: 'database.access',
    state: 'wrong',
    message: /^The database at 127\.0\.0\.1:9\/portico cannot be reached: connect ECONNREFUSED/,
    advice: /Start the server, or correct host and port in DATABASE_URL/,
    skips: databaseChecks,
  },
  {
    fault: 'PostgreSQL rejects the password',
    inject: async () => {
      const variables = await createServerVariables();
      return { ...variables, DATABASE_URL: withPassword(variables.DATABASE_URL ?? '', password) };
    },
    id: 'database.access',
    state: 'wrong',
    message: /cannot be opened: password authentication failed for user "portico"/,
    advice: /user and password in DATABASE_URL/,
    skips: databaseChecks,
  },
  {
    fault: 'the database does not exist',
    inject: async () => {
      const variables = await createServerVariables();
      return { ...variables, DATABASE_URL: (variables.DATABASE_URL ?? '').replace(/[^/]+$/, 'nowhere') };
    },
    id: 'database.access',
    state: 'wrong',
    message: /database "nowhere" does not exist/,
    advice: /createdb/,
    skips: databaseChecks,
  },
  {
    fault: 'a newer version wrote the database',
    inject: (folder) =>
      migrate(folder, "insert into schema_migrations (name, executed_at) values ('9999-the-future', now())"),
    id: 'database.tables',
    state: 'wrong',
    message: /does not know its migration 9999-the-future/,
    advice: /Run the newer version/,
    skips: storeChecks,
  },
  {
    fault: 'the database has the schema of an earlier version',
    inject: (folder) =>
      migrate(folder, 'delete from schema_migrations where id = (select max(id) from schema_migrations)'),
    id: 'database.tables',
    state: 'warning',
    message: /: 1 migration will run/,
    advice: /Back up first/,
    skips: storeChecks,
  },
  {
    fault: 'the database is read-only',
    inject: (folder) =>
      migrate(
        folder,
        `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
      ),
    id: 'database.writes',
    state: 'wrong',
    message: /accepts no writes: its transactions are read-only/,
    advice: /DATABASE_URL to the server that accepts writes/,
  },
  {
    fault: 'the clock of the database server is wrong',
    inject: (folder) =>
      migrate(
        folder,
        "create function public.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() - interval '61.5 s' $$",
        `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
      ),
    id: 'clock.database',
    state: 'wrong',
    message: /clock of the database server is 6[12] s behind/,
    advice: /NTP/,
  },
  {
    fault: 'the data in the database was sealed with a different key',
    inject: async (folder) => {
      const variables = await migrate(folder);
      writeFileSync(join(folder, 'secrets.key'), randomBytes(32).toString('base64'));
      return variables;
    },
    id: 'keys.sealed',
    state: 'wrong',
    message: /sealed by the key [0-9a-f]{8}, but the configuration has the key [0-9a-f]{8}/,
    advice: /SECRETS_KEY_PREVIOUS/,
  },
  {
    fault: 'DATA_DIR is a file, which affects neither PostgreSQL nor a key in a variable',
    inject: async (folder) => ({
      ...(await migrate(folder)),
      SECRETS_KEY: readFileSync(join(folder, 'secrets.key'), 'utf8').trim(),
      DATA_DIR: join(folder, 'secrets.key'),
    }),
    id: 'data.folder',
    state: 'wrong',
    message: /secrets\.key is not a folder/,
    advice: /set DATA_DIR to a different folder/,
    skips: ['data.owner', 'data.files', 'data.disk', 'identity.local-key'],
  },
  {
    fault: 'PostgreSQL is used without Redis',
    inject: async (folder) => ({ ...(await migrate(folder)), REDIS_URL: '' }),
    id: 'configuration.processes.servers',
    state: 'warning',
    message: /only one HTTP process/,
    advice: /REDIS_URL/,
  },
];

const redisChecks = ['redis.version', 'redis.memory', 'redis.writes', 'redis.installations'];
/** The additional warning that Redis with SQLite serves only one process. */
const oneProcessWarning = {
  consequences: [
    { id: 'configuration.processes.servers', state: 'warning', message: /one HTTP process/, advice: /DATABASE_URL/ },
  ],
} as const;

const startRedisWith = async (options: RedisOptions): Promise<string> => {
  const server = await startRedis(options);
  onTestFinished(() => server?.close());
  return server?.url ?? '';
};

const redisFaults: readonly Fault[] = [
  {
    ...oneProcessWarning,
    fault: 'Redis is unavailable',
    inject: () => ({ REDIS_URL: `redis://:${password}@${closedAddress}` }),
    id: 'redis.access',
    state: 'wrong',
    message: /^Redis at 127\.0\.0\.1:9 is unavailable: connect ECONNREFUSED/,
    advice: /Start Redis/,
    skips: redisChecks,
  },
  {
    ...oneProcessWarning,
    fault: 'Redis rejects the password',
    inject: async () => ({ REDIS_URL: withPassword(await startRedisWith({ password: 'another one' }), password) }),
    id: 'redis.access',
    state: 'wrong',
    message: /is unavailable: (WRONGPASS|NOAUTH)/,
    advice: /correct user and password in REDIS_URL/,
    skips: redisChecks,
  },
  {
    ...oneProcessWarning,
    fault: 'Redis drops jobs when its memory is full',
    inject: async () => ({ REDIS_URL: await startRedisWith({ args: ['--maxmemory-policy', 'allkeys-lru'] }) }),
    id: 'redis.memory',
    state: 'warning',
    message: /maxmemory-policy allkeys-lru, which drops jobs/,
    advice: /noeviction/,
  },
  {
    ...oneProcessWarning,
    fault: 'Redis is a replica',
    inject: async () => ({ REDIS_URL: await startRedisWith({ args: ['--replicaof', '127.0.0.1', '9'] }) }),
    id: 'redis.writes',
    state: 'wrong',
    message: /is a replica/,
    advice: /REDIS_URL to its primary/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcessWarning,
    fault: 'Redis is full',
    inject: async () => ({ REDIS_URL: await startRedisWith({ args: ['--maxmemory', '1'] }) }),
    id: 'redis.writes',
    state: 'wrong',
    message: /rejects the writes of limits and jobs: OOM/,
    advice: /more memory/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcessWarning,
    fault: 'Redis denies access to the keys of jobs',
    inject: async () => {
      const args = ['--user', 'default', 'on', 'nopass', '~portico:*', '&*', '+@all'];
      return { REDIS_URL: await startRedisWith({ args }) };
    },
    id: 'redis.writes',
    state: 'wrong',
    message: /rejects the writes of limits and jobs: .*(NOPERM|permission)/,
    advice: /ACL user/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcessWarning,
    fault: 'Redis is a node of a Cluster',
    inject: async () => ({
      REDIS_URL: await startRedisWith({ args: ['--cluster-enabled', 'yes', '--databases', '1'] }),
    }),
    id: 'redis.writes',
    state: 'wrong',
    message: /is a node of a Cluster, which rejects .*: CLUSTERDOWN/,
    advice: /one address .* always leads to the primary/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcessWarning,
    fault: 'Redis is a Sentinel',
    inject: async () => ({ REDIS_URL: (await startRedisWith({ sentinel: true })).replace(/\/0$/, '') }),
    id: 'redis.writes',
    state: 'wrong',
    message: /is a Sentinel, which stores nothing/,
    advice: /one address .* always leads to the primary/,
    skips: ['redis.installations'],
  },
];

const startQdrantWith = async (options: Parameters<typeof startFakeQdrant>[0] = {}): Promise<string> => {
  const server = await startFakeQdrant(options);
  onTestFinished(() => server.close());
  return server.url;
};

const startOllamaWith = async (options: Parameters<typeof startFakeOllama>[0]): Promise<string> => {
  const server = await startFakeOllama(options);
  onTestFinished(() => server.close());
  return server.url;
};

const searchFaults: readonly Fault[] = [
  {
    fault: 'Qdrant is unavailable',
    inject: () => ({ QDRANT_URL: `http://127.0.0.1:8009`, QDRANT_API_KEY: password }),
    id: 'qdrant.access',
    state: 'wrong',
    message: /ECONNREFUSED/,
    advice: /Start Qdrant/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'Qdrant rejects the API key',
    inject: async () => ({ QDRANT_URL: await startQdrantWith({ apiKey: 'another one' }), QDRANT_API_KEY: password }),
    id: 'qdrant.access',
    state: 'wrong',
    message: /rejects the API key/,
    advice: /QDRANT_API_KEY/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'Qdrant is too old',
    inject: async () => ({ QDRANT_URL: await startQdrantWith({ version: '1.15.5' }) }),
    id: 'qdrant.access',
    state: 'wrong',
    message: /Qdrant 1\.15\.5 is too old/,
    advice: /1\.16 or newer/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'vectors in Qdrant have the wrong number of dimensions',
    inject: async (folder) => {
      const variables = await migrate(folder, "update settings set value = 'a0b1c2' where name = 'installation'");
      const url = await startQdrantWith();
      await sendJson('PUT', `${url}/collections/old`, { vectors: { size: 3, distance: 'Cosine' } });
      const alias = { create_alias: { alias_name: 'portico-a0b1c2-0a1b2c3d', collection_name: 'old' } };
      await sendJson('POST', `${url}/collections/aliases`, { actions: [alias] });
      return { ...variables, QDRANT_URL: url };
    },
    id: 'qdrant.vectors',
    state: 'warning',
    message: /The collection old in Qdrant cannot be used: its vectors have 3 dimensions/,
    advice: /portico index rebuild/,
  },
  {
    fault: 'Ollama is unavailable',
    inject: () => ({ OLLAMA_URL: `http://portico:${password}@127.0.0.1:8009` }),
    id: 'ollama.access',
    state: 'wrong',
    message: /Ollama cannot be used: .*ECONNREFUSED/,
    advice: /Start Ollama/,
    skips: ['ollama.model'],
  },
  {
    fault: 'the model was not pulled and will not be pulled',
    inject: async () => ({ OLLAMA_URL: await startOllamaWith({ models: [] }), OLLAMA_PULL: 'false' }),
    id: 'ollama.model',
    state: 'wrong',
    message: /does not have the model nomic-embed-text/,
    advice: /ollama pull nomic-embed-text.*OLLAMA_PULL/,
  },
  {
    fault: 'the model has not been pulled yet',
    inject: async () => ({
      OLLAMA_URL: await startOllamaWith({ models: [fakeNomic] }),
      EMBEDDING_MODEL: 'other:v2',
    }),
    id: 'ollama.model',
    state: 'warning',
    message: /does not have the model other:v2/,
    advice: /ollama pull other:v2.* when it starts/,
  },
];

const sendJson = async (method: string, url: string, body: object): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(status).toBe(200);
};

const startSmtpWith = async (options: SmtpServerTestOptions): Promise<URL> => {
  const server = await startSmtpServer(options);
  if (!server) throw new Error('A server without TLS can always be started');
  onTestFinished(() => server.close());
  return new URL(server.url);
};
const MAIL_FROM = 'portico@example.com';
const withLogin = (url: URL): string => Object.assign(url, { username: 'portico', password }).href;

const mailFaults: readonly Fault[] = [
  {
    fault: 'the mail server is unavailable',
    inject: () => ({ MAIL_FROM, SMTP_URL: `smtp://portico:${password}@${closedAddress}?tls=off` }),
    id: 'mail.access',
    state: 'wrong',
    message: /ECONNREFUSED/,
    advice: /Start the mail server/,
  },
  {
    fault: 'the mail server rejects the login',
    inject: async () => {
      const url = await startSmtpWith({ credentials: { user: 'portico', password: 'another one' } });
      return { MAIL_FROM, SMTP_URL: `${withLogin(url)}?tls=off` };
    },
    id: 'mail.access',
    state: 'wrong',
    message: /rejects the login: 535/,
    advice: /user and password in SMTP_URL/,
  },
  {
    fault: 'the mail server offers no encryption',
    inject: async () => {
      const url = await startSmtpWith({ credentials: { user: 'portico', password } });
      return { MAIL_FROM, SMTP_URL: withLogin(url) };
    },
    id: 'mail.access',
    state: 'wrong',
    message: /mail server/,
    advice: /offer TLS with a valid certificate/,
  },
  {
    fault: 'emails have no sender',
    inject: async () => ({ SMTP_URL: (await startSmtpWith({})).href }),
    id: 'configuration.mail.sender',
    state: 'warning',
    message: /MAIL_FROM is not set/,
    advice: /Set MAIL_FROM/,
  },
];

describe.skipIf(!postgres || !redis || !psql)('PostgreSQL', () => {
  test.each(postgresqlFaults)('reports that $fault', (fault) => expectDiagnosis(healthyInstallation.copy(), fault));
});
describe.skipIf(!redis?.control)('Redis', () => {
  test.each(redisFaults)('reports that $fault', (fault) => expectDiagnosis(healthyInstallation.copy(), fault));
});
describe.each([
  ['search', searchFaults],
  ['mail', mailFaults],
])('%s', (_subject, faults) => {
  test.each(faults)('reports that $fault', (fault) => expectDiagnosis(healthyInstallation.copy(), fault));
});

test('each server that accepts connections but never responds is reported', async () => {
  const silentServer = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silentServer.close());
  const address = `127.0.0.1:${(silentServer.address() as AddressInfo).port}`;
  const { code, checks, output } = await runDoctor({
    DATA_DIR: healthyInstallation.copy(),
    DATABASE_URL: `postgresql://portico:${password}@${address}/portico`,
    REDIS_URL: `redis://:${password}@${address}`,
    QDRANT_URL: `http://${address}`,
    QDRANT_API_KEY: password,
    OLLAMA_URL: `http://${address}`,
    SMTP_URL: `smtp://portico:${password}@${address}`,
    MAIL_FROM,
    IDENTITY_ISSUER: `http://${address}`,
    IDENTITY_AUDIENCE: 'portico',
  });
  expect(code).toBe(1);
  expect(checks.filter(({ state }) => state === 'wrong').map(({ id }) => id)).toEqual([
    'database.access',
    'redis.access',
    'qdrant.access',
    'ollama.access',
    'mail.access',
    'identity.issuer',
  ]);
  expect(output).not.toContain(password);
});
