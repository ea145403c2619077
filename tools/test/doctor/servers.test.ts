import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  absent,
  nomicStandIn,
  onPath,
  startOllamaStandIn,
  startPostgres,
  startQdrantStandIn,
  startRedis,
  startSmtpServer,
  type RedisOptions,
  type SmtpServerTestOptions,
} from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openInstallation } from '../provide-installation.ts';
import { createPatient, doctor, expectDiagnosis, password, type Fault, type Variables } from './diagnosis.ts';

const [postgres, redis] = [await startPostgres(), await startRedis()];
const psql = onPath('psql') ?? absent('psql', 'install the client of PostgreSQL');
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

let patient: Awaited<ReturnType<typeof createPatient>>;
beforeAll(async () => {
  patient = await createPatient();
});
afterAll(() => patient.remove());

/** Nothing listens there. */
const nowhere = '127.0.0.1:9';
const ofStores = ['keys.sealed', 'admins', 'names.equal', 'jobs.given-up', 'jobs.waiting', 'redis.installations'];
const ofDatabase = [...ofStores, 'database.version', 'database.tables', 'database.writes', 'clock.database'];

/** The address of a database after a first start, on which these statements were run then. */
const migrated = async (folder: string, ...statements: readonly string[]): Promise<Variables> => {
  const variables = await onServers();
  const installation = await openInstallation({ DATA_DIR: folder, ...variables });
  expect((await installation.tool('people', 'list', '--admins')).code).toBe(0);
  for (const statement of statements)
    execFileSync(psql ?? '', ['-qv', 'ON_ERROR_STOP=1', '-d', variables.DATABASE_URL ?? '', '-c', statement]);
  return variables;
};

/** A new database, and a Redis. */
const onServers = async (): Promise<Variables> => ({
  DATABASE_URL: (await postgres?.newDatabase()) ?? '',
  REDIS_URL: redis?.url ?? '',
});

const withPassword = (url: string, other: string): string => Object.assign(new URL(url), { password: other }).href;

const ofPostgresql: readonly Fault[] = [
  {
    fault: 'PostgreSQL is away',
    plant: async () => ({
      ...(await onServers()),
      DATABASE_URL: `postgresql://portico:${password}@${nowhere}/portico`,
    }),
    id: 'database.access',
    state: 'wrong',
    said: /^The database at 127\.0\.0\.1:9\/portico cannot be reached: connect ECONNREFUSED/,
    advice: /Start the server, or correct host and port in DATABASE_URL/,
    skips: ofDatabase,
  },
  {
    fault: 'PostgreSQL refuses the password',
    plant: async () => {
      const variables = await onServers();
      return { ...variables, DATABASE_URL: withPassword(variables.DATABASE_URL ?? '', password) };
    },
    id: 'database.access',
    state: 'wrong',
    said: /cannot be opened: password authentication failed for user "portico"/,
    advice: /user and password in DATABASE_URL/,
    skips: ofDatabase,
  },
  {
    fault: 'the database does not exist',
    plant: async () => {
      const variables = await onServers();
      return { ...variables, DATABASE_URL: (variables.DATABASE_URL ?? '').replace(/[^/]+$/, 'nowhere') };
    },
    id: 'database.access',
    state: 'wrong',
    said: /database "nowhere" does not exist/,
    advice: /createdb/,
    skips: ofDatabase,
  },
  {
    fault: 'a newer version wrote the database',
    plant: (folder) =>
      migrated(folder, "insert into schema_migrations (name, executed_at) values ('9999-the-future', now())"),
    id: 'database.tables',
    state: 'wrong',
    said: /does not know its migration 9999-the-future/,
    advice: /Run the newer version/,
    skips: ofStores,
  },
  {
    fault: 'the database is of an earlier version',
    plant: (folder) =>
      migrated(folder, 'delete from schema_migrations where id = (select max(id) from schema_migrations)'),
    id: 'database.tables',
    state: 'warning',
    said: /: 1 migration will run/,
    advice: /Back up first/,
    skips: ofStores,
  },
  {
    fault: 'the database is read-only',
    plant: (folder) =>
      migrated(
        folder,
        `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
      ),
    id: 'database.writes',
    state: 'wrong',
    said: /accepts no writes: its transactions are read-only/,
    advice: /the server that accepts writes in DATABASE_URL/,
  },
  {
    fault: 'the clock of the database server is wrong',
    plant: (folder) =>
      migrated(
        folder,
        "create function public.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() - interval '61.5 s' $$",
        `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
      ),
    id: 'clock.database',
    state: 'wrong',
    said: /clock of the database server is 6[12] s behind/,
    advice: /NTP/,
  },
  {
    fault: 'the database was sealed with another key',
    plant: async (folder) => {
      const variables = await migrated(folder);
      writeFileSync(join(folder, 'secrets.key'), randomBytes(32).toString('base64'));
      return variables;
    },
    id: 'keys.sealed',
    state: 'wrong',
    said: /sealed by the key [0-9a-f]{8}, but the configuration has the key [0-9a-f]{8}/,
    advice: /SECRETS_KEY_PREVIOUS/,
  },
  {
    fault: 'DATA_DIR is a file, which concerns neither PostgreSQL nor a key in a variable',
    plant: async (folder) => ({
      ...(await migrated(folder)),
      SECRETS_KEY: readFileSync(join(folder, 'secrets.key'), 'utf8').trim(),
      DATA_DIR: join(folder, 'secrets.key'),
    }),
    id: 'data.folder',
    state: 'wrong',
    said: /secrets\.key is not a folder/,
    advice: /set DATA_DIR to another folder/,
    skips: ['data.owner', 'data.files', 'data.disk', 'identity.local-key'],
  },
  {
    fault: 'PostgreSQL is used without Redis',
    plant: async (folder) => ({ ...(await migrated(folder)), REDIS_URL: '' }),
    id: 'configuration.processes.servers',
    state: 'warning',
    said: /only one HTTP process/,
    advice: /REDIS_URL/,
  },
];

const ofRedisAlone = ['redis.version', 'redis.memory', 'redis.writes', 'redis.installations'];
/** Redis beside SQLite serves one process only, which is told besides. */
const oneProcess = {
  besides: [
    { id: 'configuration.processes.servers', state: 'warning', said: /one HTTP process/, advice: /DATABASE_URL/ },
  ],
} as const;

const redisWith = async (options: RedisOptions): Promise<string> => {
  const server = await startRedis(options);
  onTestFinished(() => server?.close());
  return server?.url ?? '';
};

const ofRedis: readonly Fault[] = [
  {
    ...oneProcess,
    fault: 'Redis is away',
    plant: () => ({ REDIS_URL: `redis://:${password}@${nowhere}` }),
    id: 'redis.access',
    state: 'wrong',
    said: /^Redis at 127\.0\.0\.1:9 is away: connect ECONNREFUSED/,
    advice: /Start Redis/,
    skips: ofRedisAlone,
  },
  {
    ...oneProcess,
    fault: 'Redis refuses the password',
    plant: async () => ({ REDIS_URL: withPassword(await redisWith({ password: 'another one' }), password) }),
    id: 'redis.access',
    state: 'wrong',
    said: /is away: (WRONGPASS|NOAUTH)/,
    advice: /correct user and password in REDIS_URL/,
    skips: ofRedisAlone,
  },
  {
    ...oneProcess,
    fault: 'Redis drops jobs when its memory is full',
    plant: async () => ({ REDIS_URL: await redisWith({ args: ['--maxmemory-policy', 'allkeys-lru'] }) }),
    id: 'redis.memory',
    state: 'warning',
    said: /maxmemory-policy allkeys-lru, which drops jobs/,
    advice: /noeviction/,
  },
  {
    ...oneProcess,
    fault: 'Redis is a replica',
    plant: async () => ({ REDIS_URL: await redisWith({ args: ['--replicaof', '127.0.0.1', '9'] }) }),
    id: 'redis.writes',
    state: 'wrong',
    said: /is a replica/,
    advice: /primary in REDIS_URL/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcess,
    fault: 'Redis is full',
    plant: async () => ({ REDIS_URL: await redisWith({ args: ['--maxmemory', '1'] }) }),
    id: 'redis.writes',
    state: 'wrong',
    said: /refuses what limits and jobs write: OOM/,
    advice: /more memory/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcess,
    fault: 'Redis denies the keys of jobs',
    plant: async () => {
      const args = ['--user', 'default', 'on', 'nopass', '~portico:*', '&*', '+@all'];
      return { REDIS_URL: await redisWith({ args }) };
    },
    id: 'redis.writes',
    state: 'wrong',
    said: /refuses what limits and jobs write: .*(NOPERM|permission)/,
    advice: /ACL user/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcess,
    fault: 'Redis is a node of a Cluster',
    plant: async () => ({ REDIS_URL: await redisWith({ args: ['--cluster-enabled', 'yes', '--databases', '1'] }) }),
    id: 'redis.writes',
    state: 'wrong',
    said: /is a node of a Cluster, which refuses .*: CLUSTERDOWN/,
    advice: /one address .* always leads to the primary/,
    skips: ['redis.installations'],
  },
  {
    ...oneProcess,
    fault: 'Redis is a Sentinel',
    plant: async () => ({ REDIS_URL: (await redisWith({ sentinel: true })).replace(/\/0$/, '') }),
    id: 'redis.writes',
    state: 'wrong',
    said: /is a Sentinel, which stores nothing/,
    advice: /one address .* always leads to the primary/,
    skips: ['redis.installations'],
  },
];

const qdrantWith = async (options: Parameters<typeof startQdrantStandIn>[0] = {}): Promise<string> => {
  const server = await startQdrantStandIn(options);
  onTestFinished(() => server.close());
  return server.url;
};

const ollamaWith = async (options: Parameters<typeof startOllamaStandIn>[0]): Promise<string> => {
  const server = await startOllamaStandIn(options);
  onTestFinished(() => server.close());
  return server.url;
};

const ofSearch: readonly Fault[] = [
  {
    fault: 'Qdrant is away',
    plant: () => ({ QDRANT_URL: `http://127.0.0.1:8009`, QDRANT_API_KEY: password }),
    id: 'qdrant.access',
    state: 'wrong',
    said: /ECONNREFUSED/,
    advice: /Start Qdrant/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'Qdrant refuses the API key',
    plant: async () => ({ QDRANT_URL: await qdrantWith({ apiKey: 'another one' }), QDRANT_API_KEY: password }),
    id: 'qdrant.access',
    state: 'wrong',
    said: /refuses the API key/,
    advice: /QDRANT_API_KEY/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'Qdrant is too old',
    plant: async () => ({ QDRANT_URL: await qdrantWith({ version: '1.15.5' }) }),
    id: 'qdrant.access',
    state: 'wrong',
    said: /Qdrant 1\.15\.5 is too old/,
    advice: /1\.16 or newer/,
    skips: ['qdrant.vectors', 'qdrant.installations'],
  },
  {
    fault: 'vectors in Qdrant have another size',
    plant: async (folder) => {
      const variables = await migrated(folder, "update settings set value = 'a0b1c2' where name = 'installation'");
      const url = await qdrantWith();
      await sendJson('PUT', `${url}/collections/old`, { vectors: { size: 3, distance: 'Cosine' } });
      const alias = { create_alias: { alias_name: 'portico-a0b1c2-0a1b2c3d', collection_name: 'old' } };
      await sendJson('POST', `${url}/collections/aliases`, { actions: [alias] });
      return { ...variables, QDRANT_URL: url };
    },
    id: 'qdrant.vectors',
    state: 'warning',
    said: /The collection old in Qdrant cannot be used: its vectors have 3 dimensions/,
    advice: /portico index rebuild/,
  },
  {
    fault: 'Ollama is away',
    plant: () => ({ OLLAMA_URL: `http://portico:${password}@127.0.0.1:8009` }),
    id: 'ollama.access',
    state: 'wrong',
    said: /Ollama cannot be used: .*ECONNREFUSED/,
    advice: /Start Ollama/,
    skips: ['ollama.model'],
  },
  {
    fault: 'the model was not pulled, and will not be',
    plant: async () => ({ OLLAMA_URL: await ollamaWith({ models: [] }), OLLAMA_PULL: 'false' }),
    id: 'ollama.model',
    state: 'wrong',
    said: /does not have the model nomic-embed-text/,
    advice: /ollama pull nomic-embed-text.*OLLAMA_PULL/,
  },
  {
    fault: 'the model was not pulled yet',
    plant: async () => ({ OLLAMA_URL: await ollamaWith({ models: [nomicStandIn] }), EMBEDDING_MODEL: 'other:v2' }),
    id: 'ollama.model',
    state: 'warning',
    said: /does not have the model other:v2/,
    advice: /ollama pull other:v2.* at its start/,
  },
];

const sendJson = async (method: string, url: string, body: object): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(status).toBe(200);
};

const smtpWith = async (options: SmtpServerTestOptions): Promise<URL> => {
  const server = await startSmtpServer(options);
  if (!server) throw new Error('A server without TLS needs nothing');
  onTestFinished(() => server.close());
  return new URL(server.url);
};
const MAIL_FROM = 'portico@example.com';
const asSender = (url: URL): string => Object.assign(url, { username: 'portico', password }).href;

const ofMail: readonly Fault[] = [
  {
    fault: 'the mail server is away',
    plant: () => ({ MAIL_FROM, SMTP_URL: `smtp://portico:${password}@${nowhere}?tls=off` }),
    id: 'mail.access',
    state: 'wrong',
    said: /ECONNREFUSED/,
    advice: /Start the mail server/,
  },
  {
    fault: 'the mail server refuses the login',
    plant: async () => {
      const url = await smtpWith({ credentials: { user: 'portico', password: 'another one' } });
      return { MAIL_FROM, SMTP_URL: `${asSender(url)}?tls=off` };
    },
    id: 'mail.access',
    state: 'wrong',
    said: /refuses the login: 535/,
    advice: /user and password in SMTP_URL/,
  },
  {
    fault: 'the mail server offers no encryption',
    plant: async () => {
      const url = await smtpWith({ credentials: { user: 'portico', password } });
      return { MAIL_FROM, SMTP_URL: asSender(url) };
    },
    id: 'mail.access',
    state: 'wrong',
    said: /mail server/,
    advice: /offer TLS with a valid certificate/,
  },
  {
    fault: 'nobody is named as the sender of mails',
    plant: async () => ({ SMTP_URL: (await smtpWith({})).href }),
    id: 'configuration.mail.sender',
    state: 'warning',
    said: /MAIL_FROM is not set/,
    advice: /Set MAIL_FROM/,
  },
];

describe.skipIf(!postgres || !redis || !psql)('of PostgreSQL', () => {
  test.each(ofPostgresql)('$fault', (fault) => expectDiagnosis(patient.copy(), fault));
});
describe.skipIf(!redis?.control)('of Redis', () => {
  test.each(ofRedis)('$fault', (fault) => expectDiagnosis(patient.copy(), fault));
});
describe.each([
  ['the search', ofSearch],
  ['the mails', ofMail],
])('of %s', (_of, faults) => {
  test.each(faults)('$fault', (fault) => expectDiagnosis(patient.copy(), fault));
});

test('servers that accept connections and never answer are each told, and none keeps the others waiting', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const place = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { code, checks, output } = await doctor({
    DATA_DIR: patient.copy(),
    DATABASE_URL: `postgresql://portico:${password}@${place}/portico`,
    REDIS_URL: `redis://:${password}@${place}`,
    QDRANT_URL: `http://${place}`,
    QDRANT_API_KEY: password,
    OLLAMA_URL: `http://${place}`,
    SMTP_URL: `smtp://portico:${password}@${place}`,
    MAIL_FROM,
    IDENTITY_ISSUER: `http://${place}`,
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
