import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  startIdentityProvider,
  startOllamaStandIn,
  startPostgres,
  startQdrantStandIn,
  startRedis,
  startSmtpServer,
} from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import type { Installation } from '../installation.ts';
import { openInstallation } from '../provide-installation.ts';
import { contentOf, type Diagnosis } from './diagnosis.ts';

const [postgres, redis] = [await startPostgres(), await startRedis()];
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

const diagnosed = async ({ tool }: Installation): Promise<Diagnosis> => {
  const { code, stdout, stderr } = await tool('--json', 'doctor');
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as Diagnosis), code };
};

const statesOf = ({ checks }: Diagnosis) => Object.fromEntries(checks.map(({ id, state }) => [id, state]));
const isHealthy = (diagnosis: Diagnosis): void => {
  expect(diagnosis.checks.filter(({ state }) => state === 'wrong' || state === 'warning')).toEqual([]);
  expect(diagnosis.checks.filter(({ said }) => said.startsWith('Not asked'))).toEqual([]);
  expect(diagnosis).toMatchObject({ code: 0, wrong: 0, warnings: 0 });
};

test('the embedded default is healthy before its first start, beside a running service, after a crash and after a stop', async () => {
  const installation = await openInstallation();
  const { folder } = installation;
  const empty = contentOf(folder);
  isHealthy(await diagnosed(installation));
  expect(contentOf(folder)).toEqual(empty);

  const crashing = await installation.start();
  const beside = await diagnosed(installation);
  isHealthy(beside);
  expect(beside.checks).toContainEqual(
    expect.objectContaining({ id: 'port', said: expect.stringMatching(/^A Portico answers at/) as string }),
  );
  expect(statesOf(beside)).toMatchObject({ 'keys.sealed': 'ok', admins: 'ok', 'redis.access': 'skipped' });

  await crashing.kill();
  expect(existsSync(join(folder, 'portico.sqlite-wal'))).toBe(true);
  const crashed = contentOf(folder);
  isHealthy(await diagnosed(installation));
  expect(contentOf(folder)).toEqual(crashed);

  await (await installation.start()).stop();
  const stopped = contentOf(folder);
  isHealthy(await diagnosed(installation));
  expect(contentOf(folder)).toEqual(stopped);
});

test.skipIf(!postgres || !redis)(
  'PostgreSQL with Redis, and every other server, is healthy before and after its first start',
  async () => {
    const [provider, smtp] = [await startIdentityProvider(), await startSmtpServer()];
    const [qdrant, ollama] = [await startQdrantStandIn({ apiKey: 'the-key' }), await startOllamaStandIn()];
    for (const server of [provider, smtp, qdrant, ollama]) onTestFinished(() => server?.close());
    const installation = await openInstallation({
      DATABASE_URL: (await postgres?.newDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      IDENTITY_ISSUER: provider.issuer,
      IDENTITY_AUDIENCE: provider.clientId,
      BOOTSTRAP_ADMIN_UID: 'root',
      BOOTSTRAP_ADMIN_EMAIL: 'root@example.com',
      QDRANT_URL: qdrant.url,
      QDRANT_API_KEY: 'the-key',
      OLLAMA_URL: ollama.url,
      SMTP_URL: smtp?.url ?? '',
      MAIL_FROM: 'portico@example.com',
    });
    const empty = contentOf(installation.folder);
    const before = await diagnosed(installation);
    isHealthy(before);
    // It migrated nothing, and made no key.
    const again = await diagnosed(installation);
    expect(again.checks.find(({ id }) => id === 'database.tables')?.said).toContain('no tables yet');
    expect(statesOf(again)).toEqual(statesOf(before));
    expect(contentOf(installation.folder)).toEqual(empty);

    await (await installation.start()).stop();
    const after = await diagnosed(installation);
    isHealthy(after);
    expect(after.checks.filter(({ state }) => state === 'skipped').map(({ id }) => id)).toEqual([
      'data.heartbeat',
      'database.intact',
      'mail.templates',
      'identity.local-key',
    ]);
  },
);

test('the table of the documents has every check, in the order in which they are told', async () => {
  const { checks } = await diagnosed(await openInstallation());
  const chapter =
    readFileSync(join(root, 'docs/operations/troubleshooting.md'), 'utf8').split(
      '## What is wrong: portico doctor',
    )[1] ?? '';
  const documented = [...(chapter.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z.-]+)` /gm)].map(([, id]) => id);
  expect(documented).toEqual(checks.map(({ id }) => id));
});

test('the lines for people name state, check, fault and advice, and those without a cause of their own share one', async () => {
  const installation = await openInstallation({ REDIS_URL: 'redis://127.0.0.1:9' });
  const { code, stdout } = await installation.tool('doctor');
  expect(code).toBe(1);
  const lines = stdout.trim().split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^ok {7}configuration: Every variable is valid\.$/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^wrong {4}redis\.access: Redis at 127\.0\.0\.1:9 is away: .* Start Redis, or correct host/),
  );
  expect(lines).toContain(
    'skipped  redis.version, redis.memory, redis.writes, redis.installations: Not asked: redis.access has to be right first.',
  );
  expect(lines.at(-1)).toBe('1 wrong, 1 warning.');
  expect(stdout).not.toMatch(/QDRANT|not set|\n +at /);
});
