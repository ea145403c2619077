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
import { freePort } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import { createPatient, doctor, expectDiagnosis, password, type Fault, type Variables } from './diagnosis.ts';

let patient: Awaited<ReturnType<typeof createPatient>>;
beforeAll(async () => {
  patient = await createPatient();
});
afterAll(() => patient.remove());

const isRoot = process.geteuid?.() === 0;
const newKey = () => `${randomBytes(32).toString('base64')}\n`;

const changed = (folder: string, ...statements: readonly string[]): Variables => {
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

const everything = [
  'configuration.environment configuration.host configuration.identity.email-check configuration.identity.local',
  'configuration.mail.sender configuration.mail.server configuration.processes.servers configuration.proxy',
  'data.folder data.owner data.files data.disk data.heartbeat',
  'database.access database.version database.tables database.writes database.intact clock.database',
  'keys.secrets keys.sealed redis.access redis.version redis.memory redis.writes',
  'qdrant.access qdrant.vectors ollama.access ollama.model redis.installations qdrant.installations mail.access mail.templates',
  'identity.issuer identity.keys identity.console identity.local-key clock.issuer admins names.equal jobs.given-up jobs.waiting port',
].flatMap((ids) => ids.split(' '));
const ofStores = ['keys.sealed', 'admins', 'names.equal', 'jobs.given-up', 'jobs.waiting'];
const ofDatabase = [...ofStores, 'database.tables', 'database.writes', 'database.intact'];
const ofFolder = ['data.owner', 'data.files', 'data.disk', 'identity.local-key'];

const ofConfiguration: readonly Fault[] = [
  {
    fault: 'a variable is not valid',
    plant: () => ({ PORT: '70000' }),
    id: 'configuration',
    state: 'wrong',
    said: /^PORT: read "70000", expected a whole number from 0 to 65535\.$/,
    advice: /docs\/reference\/configuration\.md/,
    skips: everything,
  },
  {
    fault: 'several variables are not valid, one of them secret',
    plant: () => ({ RATE_LIMIT_DEFAULT: '600', REDIS_URL: `http://:${password}@redis` }),
    id: 'configuration',
    state: 'wrong',
    said: /^REDIS_URL: read a value of \d+ characters, expected redis:/,
    advice: /Correct it/,
    besides: [
      { id: 'configuration', state: 'wrong', said: /^RATE_LIMIT_DEFAULT: read "600", expected/, advice: /Correct it/ },
    ],
    skips: everything,
  },
  {
    fault: 'a secret is in a file that does not exist',
    plant: (folder) => ({ SMTP_URL_FILE: join(folder, 'nowhere') }),
    id: 'configuration',
    state: 'wrong',
    said: /^SMTP_URL_FILE: .*nowhere cannot be read \(ENOENT\)/,
    advice: /Correct it/,
    skips: everything,
  },
  {
    fault: 'the service is open to the network in development',
    plant: () => ({ HOST: '0.0.0.0' }),
    id: 'configuration.environment',
    state: 'warning',
    said: /HOST=0\.0\.0\.0 .*NODE_ENV is not production/,
    advice: /NODE_ENV=production/,
  },
  {
    fault: 'a mail template is named after no mail',
    plant: (folder) => {
      writeFileSync(join(folder, 'credentails.text.liquid'), 'Hi');
      writeFileSync(join(folder, 'rejection.text.liquid'), 'No.');
      return { MAIL_TEMPLATES: folder };
    },
    id: 'mail.templates',
    state: 'warning',
    said: /^credentails\.text\.liquid: A template is not used: it is named after no mail and part/,
    advice: /docs\/mails\.md/,
  },
  {
    fault: 'HOST is the address of another machine',
    plant: () => ({ HOST: '192.0.2.1' }),
    id: 'configuration.host',
    state: 'wrong',
    said: /192\.0\.2\.1 is not an address of this machine/,
    advice: /Set HOST/,
    besides: [
      { id: 'configuration.environment', state: 'warning', said: /NODE_ENV is not production/, advice: /HOST/ },
    ],
    skips: ['port'],
  },
  {
    fault: 'every address is trusted as a proxy',
    plant: () => ({ TRUST_PROXY: '10.0.0.0/8, 0.0.0.0/0' }),
    id: 'configuration.proxy',
    state: 'warning',
    said: /TRUST_PROXY trusts every address/,
    advice: /number of your proxies/,
  },
  {
    fault: 'certificates are not checked',
    plant: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    id: 'process.tls',
    state: 'wrong',
    said: /NODE_TLS_REJECT_UNAUTHORIZED=0/,
    advice: /NODE_EXTRA_CA_CERTS/,
  },
  {
    fault: 'a process may open few files',
    plant: () => ({}),
    before: 'ulimit -n 300',
    id: 'process.files',
    state: 'warning',
    said: /only 300 files/,
    advice: /LimitNOFILE/,
  },
  {
    fault: 'something else listens at the port',
    plant: async () => {
      const server = createServer((_request, response) => void response.end('hello'));
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      return { PORT: String(port) };
    },
    id: 'port',
    state: 'warning',
    said: /^Something that is no Portico listens at 127\.0\.0\.1:\d+/,
    advice: /choose another PORT/,
  },
  {
    fault: 'what listens at the port never answers',
    plant: async () => {
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
    said: /^What listens at 127\.0\.0\.1:\d+ gave no answer within 2 s/,
    advice: /choose another PORT/,
  },
];

const ofTheFolder: readonly Fault[] = [
  {
    fault: 'DATA_DIR is a file',
    plant: (folder) => ({ DATA_DIR: join(folder, 'secrets.key') }),
    id: 'data.folder',
    state: 'wrong',
    said: /secrets\.key is not a folder/,
    advice: /set DATA_DIR to another folder/,
    skips: [...ofFolder, 'keys.secrets', 'database.access', ...ofDatabase],
  },
  {
    fault: 'other users may write the data folder',
    plant: (folder) => {
      chmodSync(folder, 0o777);
      return {};
    },
    id: 'data.owner',
    state: 'wrong',
    said: /other users may write .* \(mode 0777\)/,
    advice: /^chmod 700 /,
  },
  ...(isRoot
    ? [
        {
          fault: 'the data folder belongs to another user',
          plant: (folder: string) => {
            chownSync(folder, 4_321, 4_321);
            return {};
          },
          id: 'data.owner',
          state: 'warning',
          said: /belongs to the user 4321, and this command runs as 0/,
          advice: /as the user of the service/,
        } as const,
      ]
    : []),
  {
    fault: 'other users may read the secrets key',
    plant: (folder) => {
      chmodSync(join(folder, 'secrets.key'), 0o640);
      return {};
    },
    id: 'data.files',
    state: 'wrong',
    said: /secrets\.key is open to other users \(mode 0640\)/,
    advice: /^chmod 600 .*secrets\.key$/,
  },
  {
    fault: 'other users may read a key outside the data folder',
    plant: (folder) => {
      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(join(folder, 'data'), { mode: 0o700 });
      writeFileSync(join(elsewhere, 'key'), newKey());
      chmodSync(join(elsewhere, 'key'), 0o644);
      return { DATA_DIR: join(folder, 'data'), SECRETS_KEY_FILE: join(elsewhere, 'key') };
    },
    id: 'data.files',
    state: 'warning',
    said: /elsewhere\/key is open to other users \(mode 0644\)/,
    advice: /^chmod 600 /,
  },
  {
    fault: 'the heartbeat has no folder',
    plant: (folder) => ({ HEARTBEAT_FILE: join(folder, 'nowhere/heartbeat') }),
    id: 'data.heartbeat',
    state: 'wrong',
    said: /HEARTBEAT_FILE: .* its folder does not exist/,
    advice: /HEARTBEAT_FILE/,
  },
];

const ofData: readonly Fault[] = [
  {
    fault: 'the database is no database',
    plant: (folder) => {
      writeFileSync(join(folder, 'portico.sqlite'), 'Dear diary, today I was a text file.');
      return {};
    },
    id: 'database.access',
    state: 'wrong',
    said: /portico\.sqlite cannot be used: it is not a SQLite database/,
    advice: /restore a backup/,
    skips: ofDatabase,
  },
  {
    fault: 'a page of the database is damaged',
    plant: (folder) => {
      const file = join(folder, 'portico.sqlite');
      // A page of entries, not of the schema: with a damaged schema the database could not be opened at all.
      const start = (rootPageOf(file, 'audit_entries') - 1) * 4_096;
      const database = openSync(file, 'r+');
      writeSync(database, Buffer.alloc(4_096, 0x5a), 0, 4_096, start);
      closeSync(database);
      return {};
    },
    id: 'database.intact',
    state: 'wrong',
    said: /The database is damaged/,
    advice: /portico restore FILE/,
  },
  {
    fault: 'a newer version wrote the database',
    plant: (folder) =>
      changed(folder, "insert into schema_migrations (name, executed_at) values ('9999-the-future', 0)"),
    id: 'database.tables',
    state: 'wrong',
    said: /does not know its migration 9999-the-future/,
    advice: /Run the newer version/,
    skips: [...ofStores, 'database.intact'],
  },
  {
    fault: 'the database is of an earlier version',
    plant: (folder) => {
      truncateSync(join(folder, 'portico.sqlite'));
      return changed(folder, readFileSync(join(root, 'libs/composition/test/release-0.1.0.sql'), 'utf8'));
    },
    id: 'database.tables',
    state: 'warning',
    said: /: 1 migration will run/,
    advice: /Back up first/,
    skips: ofStores,
  },
  {
    fault: 'the database is that of another application',
    plant: (folder) => {
      truncateSync(join(folder, 'portico.sqlite'));
      return changed(folder, 'create table diary (day integer)');
    },
    id: 'database.tables',
    state: 'wrong',
    said: /another application/,
    advice: /DATABASE_URL/,
    skips: [...ofStores, 'database.intact'],
  },
  {
    fault: 'the secrets key is lost',
    plant: (folder) => {
      rmSync(join(folder, 'secrets.key'));
      return {};
    },
    id: 'keys.sealed',
    state: 'wrong',
    said: /sealed by the key [0-9a-f]{8}, but .*secrets\.key is missing/,
    advice: /^Put that key back, .*portico keys reset/,
  },
  {
    fault: 'the secrets key is another one',
    plant: (folder) => {
      writeFileSync(join(folder, 'secrets.key'), newKey());
      return {};
    },
    id: 'keys.sealed',
    state: 'wrong',
    said: /sealed by the key [0-9a-f]{8}, but the configuration has the key [0-9a-f]{8}/,
    advice: /SECRETS_KEY_PREVIOUS/,
  },
  {
    fault: 'the secrets key is no key',
    plant: (folder) => {
      writeFileSync(join(folder, 'secrets.key'), 'not 32 bytes');
      return {};
    },
    id: 'keys.secrets',
    state: 'wrong',
    said: /secrets\.key is not a secrets key: expected 32 bytes in base64/,
    advice: /Put a copy of the right key there/,
    skips: ['keys.sealed'],
  },
  {
    fault: 'the key of the local issuer is no key',
    plant: (folder) => {
      writeFileSync(join(folder, 'local-issuer.key'), '{"kty":"none"}');
      return {};
    },
    id: 'identity.local-key',
    state: 'wrong',
    said: /holds no key of the local issuer/,
    advice: /Remove it/,
  },
  {
    fault: 'a job was given up',
    plant: (folder) => changed(folder, job({ id: 'one', given_up: 1 })),
    id: 'jobs.given-up',
    state: 'warning',
    said: /^1 job was given up/,
    advice: /portico jobs list/,
  },
  {
    fault: 'no process runs jobs',
    plant: (folder) => ({ JOBS: 'off', ...changed(folder, job({ id: 'one' }), job({ id: 'two' })) }),
    id: 'jobs.waiting',
    state: 'warning',
    said: /due for \d+ minutes, and 2 wait/,
    advice: /worker/,
  },
];

const job = ({ id, given_up = 0 }: { readonly id: string; readonly given_up?: number }): string =>
  `insert into jobs (id, kind, collection_id, due_at, given_up) values ('${id}', 'embed', 'some', 0, ${given_up})`;

/** A disk of this size, without the need of a device. */
const diskOf = (megabytes: number) => (folder: string) => {
  const place = join(folder, 'disk');
  mkdirSync(place, { mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'none', place]);
  onTestFinished(() => void execFileSync('umount', [place]));
  return { DATA_DIR: place };
};

const mayMount = (() => {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return isRoot;
  } catch {
    return false;
  }
})();

const ofTheDisk: readonly Fault[] = [
  {
    fault: 'the disk is almost full',
    plant: diskOf(50),
    id: 'data.disk',
    state: 'wrong',
    said: /almost full: \d+ MB are free/,
    advice: /Free some space/,
  },
  {
    fault: 'the disk fills up',
    plant: diskOf(500),
    id: 'data.disk',
    state: 'warning',
    said: /fills up: \d+ MB are free/,
    advice: /Free some space/,
  },
];

describe.each([
  ['the configuration', ofConfiguration],
  ['the folder', ofTheFolder],
  ['the data', ofData],
])('in %s', (_place, faults) => {
  test.each(faults)('$fault', (fault) => expectDiagnosis(patient.copy(), fault));
});

describe.skipIf(!mayMount)('on the disk', () => {
  test.each(ofTheDisk)('$fault', (fault) => expectDiagnosis(patient.copy(), fault));
});

test('that the tool itself was held while it asked who listens is not taken for a listener', async () => {
  // Its first question is on its way when the process is held for longer than it waits for an answer.
  const held = `const ask = fetch; globalThis.fetch = (...question) => {
    globalThis.fetch = ask;
    const asked = ask(...question);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    return asked;
  };`;
  const { warnings, checks } = await doctor({
    DATA_DIR: patient.copy(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(held)}`,
  });
  expect(checks.find(({ id }) => id === 'port')).toMatchObject({ state: 'ok' });
  expect(warnings).toBe(0);
});
