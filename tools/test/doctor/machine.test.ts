import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findFreePort } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import {
  createHealthyInstallation,
  runDoctor,
  expectDiagnosis,
  password,
  type Fault,
  type Variables,
} from './diagnosis.ts';

let healthyInstallation: Awaited<ReturnType<typeof createHealthyInstallation>>;
beforeAll(async () => {
  healthyInstallation = await createHealthyInstallation();
});
afterAll(() => healthyInstallation.remove());

const isRoot = process.geteuid?.() === 0;
const createKey = () => `${randomBytes(32).toString('base64')}\n`;

const changeDatabase = (folder: string, ...statements: readonly string[]): Variables => {
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  for (const statement of statements) database.exec(statement);
  database.close();
  return {};
};

const rootPageOf = (file: string, table: string): number => {
  const database = new DatabaseSync(file);
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table);
  database.close();
  return Number(row?.rootpage);
};

const otherChecks = [
  'configuration.environment configuration.host configuration.identity.email-check configuration.identity.local',
  'calls calls.networks',
  'configuration.mail.sender configuration.mail.server configuration.processes.servers configuration.proxy',
  'data.folder data.owner data.files data.disk data.heartbeat',
  'database.access database.version database.tables database.writes database.intact clock.database',
  'keys.secrets keys.sealed redis.access redis.version redis.memory redis.writes',
  'qdrant.access qdrant.vectors ollama.access ollama.model redis.installations qdrant.installations mail.access mail.templates',
  'identity.issuer identity.keys identity.console identity.local-key clock.issuer admins names.equal revisions jobs.given-up jobs.waiting port webhooks',
].flatMap((ids) => ids.split(' '));
const storeChecks = ['keys.sealed', 'admins', 'names.equal', 'revisions', 'jobs.given-up', 'jobs.waiting', 'webhooks'];
const databaseChecks = [...storeChecks, 'database.tables', 'database.writes', 'database.intact'];
const folderChecks = ['data.owner', 'data.files', 'data.disk', 'identity.local-key'];

const configurationFaults: readonly Fault[] = [
  {
    fault: 'a variable is not valid',
    inject: () => ({ PORT: '70000' }),
    id: 'configuration',
    state: 'wrong',
    message: /^PORT: read "70000", expected a whole number from 0 to 65535\.$/,
    advice: /docs\/reference\/configuration\.md/,
    skips: otherChecks,
  },
  {
    fault: 'several variables are not valid, including a secret',
    inject: () => ({ RATE_LIMIT_DEFAULT: '600', REDIS_URL: `http://:${password}@redis` }),
    id: 'configuration',
    state: 'wrong',
    message: /^REDIS_URL: read a value of \d+ characters, expected redis:/,
    advice: /Correct it/,
    consequences: [
      {
        id: 'configuration',
        state: 'wrong',
        message: /^RATE_LIMIT_DEFAULT: read "600", expected/,
        advice: /Correct it/,
      },
    ],
    skips: otherChecks,
  },
  {
    fault: 'a secret is in a file that does not exist',
    inject: (folder) => ({ SMTP_URL_FILE: join(folder, 'nowhere') }),
    id: 'configuration',
    state: 'wrong',
    message: /^SMTP_URL_FILE: .*nowhere cannot be read \(ENOENT\)/,
    advice: /Correct it/,
    skips: otherChecks,
  },
  {
    fault: 'the service is open to the network in development',
    inject: () => ({ HOST: '0.0.0.0' }),
    id: 'configuration.environment',
    state: 'warning',
    message: /HOST=0\.0\.0\.0 .*NODE_ENV is not production/,
    advice: /NODE_ENV=production/,
  },
  {
    fault: 'no mail matches the name of a mail template',
    inject: (folder) => {
      writeFileSync(join(folder, 'credentails.text.liquid'), 'Hi');
      writeFileSync(join(folder, 'rejection.text.liquid'), 'No.');
      return { MAIL_TEMPLATES: folder };
    },
    id: 'mail.templates',
    state: 'warning',
    message: /^credentails\.text\.liquid: A template is not used: its name does not match a part of an email/,
    advice: /docs\/mails\.md/,
  },
  {
    fault: 'HOST is the address of another machine',
    inject: () => ({ HOST: '192.0.2.1' }),
    id: 'configuration.host',
    state: 'wrong',
    message: /192\.0\.2\.1 is not an address of this machine/,
    advice: /Set HOST/,
    consequences: [
      { id: 'configuration.environment', state: 'warning', message: /NODE_ENV is not production/, advice: /HOST/ },
    ],
    skips: ['port'],
  },
  {
    fault: 'calls may reach every address',
    inject: () => ({ CALLS: 'on', CALL_NETWORKS: '10.0.0.0/8,0.0.0.0/0' }),
    id: 'calls.networks',
    state: 'warning',
    message: /contains 0\.0\.0\.0\/0: calls and webhooks reach every private address/,
    advice: /only the networks/,
  },
  {
    fault: 'a metadata service is in a network for calls',
    inject: () => ({ CALLS: 'only', CALL_NETWORKS: '169.254.0.0/16' }),
    id: 'calls.networks',
    state: 'warning',
    message: /169\.254\.0\.0\/16.* 169\.254\.169\.254, which stays refused/,
    advice: /only the networks/,
  },
  {
    fault: 'every address is trusted as a proxy',
    inject: () => ({ TRUST_PROXY: '10.0.0.0/8, 0.0.0.0/0' }),
    id: 'configuration.proxy',
    state: 'warning',
    message: /TRUST_PROXY trusts every address/,
    advice: /number of your proxies/,
  },
  {
    fault: 'certificates are not checked',
    inject: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    id: 'process.tls',
    state: 'wrong',
    message: /NODE_TLS_REJECT_UNAUTHORIZED=0/,
    advice: /NODE_EXTRA_CA_CERTS/,
  },
  {
    fault: 'a process may open only a few files',
    inject: () => ({}),
    setupCommand: 'ulimit -n 300',
    id: 'process.files',
    state: 'warning',
    message: /only 300 files/,
    advice: /LimitNOFILE/,
  },
  {
    fault: 'another program listens on the port',
    inject: async () => {
      const server = createServer((_request, response) => void response.end('hello'));
      const port = await findFreePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      return { PORT: String(port) };
    },
    id: 'port',
    state: 'warning',
    message: /^Something other than Portico listens on 127\.0\.0\.1:\d+/,
    advice: /choose a different PORT/,
  },
  {
    fault: 'the program that listens on the port never responds',
    inject: async () => {
      const server = createServer(() => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return { PORT: String((server.address() as AddressInfo).port) };
    },
    id: 'port',
    state: 'warning',
    message: /^The process that listens on 127\.0\.0\.1:\d+ did not respond within 2 s/,
    advice: /choose a different PORT/,
  },
];

const folderFaults: readonly Fault[] = [
  {
    fault: 'DATA_DIR is a file',
    inject: (folder) => ({ DATA_DIR: join(folder, 'secrets.key') }),
    id: 'data.folder',
    state: 'wrong',
    message: /secrets\.key is not a folder/,
    advice: /set DATA_DIR to a different folder/,
    skips: [...folderChecks, 'keys.secrets', 'database.access', ...databaseChecks],
  },
  {
    fault: 'other users may write the data folder',
    inject: (folder) => {
      chmodSync(folder, 0o777);
      return {};
    },
    id: 'data.owner',
    state: 'wrong',
    message: /other users can write to .* \(mode 0777\)/,
    advice: /^chmod 700 /,
  },
  ...(isRoot
    ? [
        {
          fault: 'the data folder belongs to another user',
          inject: (folder: string) => {
            chownSync(folder, 4_321, 4_321);
            return {};
          },
          id: 'data.owner',
          state: 'warning',
          message: /belongs to the user 4321, and this command runs as 0/,
          advice: /as the user of the service/,
        } as const,
      ]
    : []),
  {
    fault: 'other users may read the secrets key',
    inject: (folder) => {
      chmodSync(join(folder, 'secrets.key'), 0o640);
      return {};
    },
    id: 'data.files',
    state: 'wrong',
    message: /secrets\.key is accessible to other users \(mode 0640\)/,
    advice: /^chmod 600 .*secrets\.key$/,
  },
  {
    fault: 'other users may read a key outside the data folder',
    inject: (folder) => {
      const otherFolder = join(folder, 'elsewhere');
      mkdirSync(otherFolder);
      mkdirSync(join(folder, 'data'), { mode: 0o700 });
      writeFileSync(join(otherFolder, 'key'), createKey());
      chmodSync(join(otherFolder, 'key'), 0o644);
      return { DATA_DIR: join(folder, 'data'), SECRETS_KEY_FILE: join(otherFolder, 'key') };
    },
    id: 'data.files',
    state: 'warning',
    message: /elsewhere\/key is accessible to other users \(mode 0644\)/,
    advice: /^chmod 600 /,
  },
  {
    fault: 'the folder of the heartbeat file does not exist',
    inject: (folder) => ({ HEARTBEAT_FILE: join(folder, 'nowhere/heartbeat') }),
    id: 'data.heartbeat',
    state: 'wrong',
    message: /HEARTBEAT_FILE: .* its folder does not exist/,
    advice: /HEARTBEAT_FILE/,
  },
];

const dataFaults: readonly Fault[] = [
  {
    fault: 'the database file is not a database',
    inject: (folder) => {
      writeFileSync(join(folder, 'portico.sqlite'), 'Dear diary, today I was a text file.');
      return {};
    },
    id: 'database.access',
    state: 'wrong',
    message: /portico\.sqlite cannot be used: it is not a SQLite database/,
    advice: /restore a backup/,
    skips: databaseChecks,
  },
  {
    fault: 'a page of the database is damaged',
    inject: (folder) => {
      const file = join(folder, 'portico.sqlite');
      // The page contains entries, not the schema: a database with a damaged schema cannot be opened at all.
      const start = (rootPageOf(file, 'audit_entries') - 1) * 4_096;
      const database = openSync(file, 'r+');
      writeSync(database, Buffer.alloc(4_096, 0x5a), 0, 4_096, start);
      closeSync(database);
      return {};
    },
    id: 'database.intact',
    state: 'wrong',
    message: /The database is damaged/,
    advice: /portico restore FILE/,
  },
  {
    fault: 'a newer version wrote the database',
    inject: (folder) =>
      changeDatabase(folder, "insert into schema_migrations (name, executed_at) values ('9999-the-future', 0)"),
    id: 'database.tables',
    state: 'wrong',
    message: /does not know its migration 9999-the-future/,
    advice: /Run the newer version/,
    skips: [...storeChecks, 'database.intact'],
  },
  {
    fault: 'the database has the schema of an earlier version',
    inject: (folder) => {
      truncateSync(join(folder, 'portico.sqlite'));
      return changeDatabase(folder, readFileSync(join(root, 'libs/composition/test/release-0.1.0.sql'), 'utf8'));
    },
    id: 'database.tables',
    state: 'warning',
    message: /: 1 migration will run/,
    advice: /Back up first/,
    skips: storeChecks,
  },
  {
    fault: 'the database belongs to another application',
    inject: (folder) => {
      truncateSync(join(folder, 'portico.sqlite'));
      return changeDatabase(folder, 'create table diary (day integer)');
    },
    id: 'database.tables',
    state: 'wrong',
    message: /a different application/,
    advice: /DATABASE_URL/,
    skips: [...storeChecks, 'database.intact'],
  },
  {
    fault: 'the secrets key is lost',
    inject: (folder) => {
      rmSync(join(folder, 'secrets.key'));
      return {};
    },
    id: 'keys.sealed',
    state: 'wrong',
    message: /sealed by the key [0-9a-f]{8}, but .*secrets\.key is missing/,
    advice: /^Put that key back, .*portico keys reset/,
  },
  {
    fault: 'the secrets key is not the one that sealed the data',
    inject: (folder) => {
      writeFileSync(join(folder, 'secrets.key'), createKey());
      return {};
    },
    id: 'keys.sealed',
    state: 'wrong',
    message: /sealed by the key [0-9a-f]{8}, but the configuration has the key [0-9a-f]{8}/,
    advice: /SECRETS_KEY_PREVIOUS/,
  },
  {
    fault: 'the secrets key is not a valid key',
    inject: (folder) => {
      writeFileSync(join(folder, 'secrets.key'), 'not 32 bytes');
      return {};
    },
    id: 'keys.secrets',
    state: 'wrong',
    message: /secrets\.key is not a secrets key: expected 32 bytes in base64/,
    advice: /Put a copy of the right key there/,
    skips: ['keys.sealed'],
  },
  {
    fault: 'the key of the local issuer is not a valid key',
    inject: (folder) => {
      writeFileSync(join(folder, 'local-issuer.key'), '{"kty":"none"}');
      return {};
    },
    id: 'identity.local-key',
    state: 'wrong',
    message: /contains no key of the local issuer/,
    advice: /Remove it/,
  },
  {
    fault: 'a job was given up',
    inject: (folder) => changeDatabase(folder, insertJob({ id: 'one', given_up: 1 })),
    id: 'jobs.given-up',
    state: 'warning',
    message: /^1 job was given up/,
    advice: /portico jobs list/,
  },
  {
    fault: 'no process runs jobs',
    inject: (folder) => ({
      JOBS: 'off',
      ...changeDatabase(folder, insertJob({ id: 'one' }), insertJob({ id: 'two' })),
    }),
    id: 'jobs.waiting',
    state: 'warning',
    message: /due for \d+ minutes, and 2 are waiting/,
    advice: /worker/,
  },
];

const insertJob = ({ id, given_up = 0 }: { readonly id: string; readonly given_up?: number }): string =>
  `insert into jobs (id, kind, collection_id, due_at, given_up) values ('${id}', 'embed', 'some', 0, ${given_up})`;

/** Mounts an in-memory disk of this size as the data folder. */
const mountDisk = (megabytes: number) => (folder: string) => {
  const mountPoint = join(folder, 'disk');
  mkdirSync(mountPoint, { mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'none', mountPoint]);
  onTestFinished(() => void execFileSync('umount', [mountPoint]));
  return { DATA_DIR: mountPoint };
};

const canMount = (() => {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return isRoot;
  } catch {
    return false;
  }
})();

const diskFaults: readonly Fault[] = [
  {
    fault: 'the disk is almost full',
    inject: mountDisk(50),
    id: 'data.disk',
    state: 'wrong',
    message: /almost full: \d+ MB are free/,
    advice: /Free some space/,
  },
  {
    fault: 'the disk is filling up',
    inject: mountDisk(500),
    id: 'data.disk',
    state: 'warning',
    message: /filling up: \d+ MB are free/,
    advice: /Free some space/,
  },
];

describe.each([
  ['configuration', configurationFaults],
  ['data folder', folderFaults],
  ['data', dataFaults],
])('%s', (_subject, faults) => {
  test.each(faults)('reports that $fault', (fault) => expectDiagnosis(healthyInstallation.copy(), fault));
});

describe.skipIf(!canMount)('disk', () => {
  test.each(diskFaults)('reports that $fault', (fault) => expectDiagnosis(healthyInstallation.copy(), fault));
});

test('a blocked tool does not mistake its own delay for a process that listens on the port', async () => {
  // After sending the first request, the process blocks for longer than the timeout of that request.
  const blockingFetch = `const originalFetch = fetch; globalThis.fetch = (...args) => {
    globalThis.fetch = originalFetch;
    const response = originalFetch(...args);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    return response;
  };`;
  const { warnings, checks } = await runDoctor({
    DATA_DIR: healthyInstallation.copy(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(blockingFetch)}`,
  });
  expect(checks.find(({ id }) => id === 'port')).toMatchObject({ state: 'ok' });
  expect(warnings).toBe(0);
});
