import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  startIdentityProvider,
  startFakeOllama,
  startPostgres,
  startFakeQdrant,
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

const diagnose = async ({ runTool }: Installation): Promise<Diagnosis> => {
  const { code, stdout, stderr } = await runTool('--json', 'doctor');
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as Diagnosis), code };
};

const statesOf = ({ checks }: Diagnosis) => Object.fromEntries(checks.map(({ id, state }) => [id, state]));
const expectHealthy = (diagnosis: Diagnosis): void => {
  expect(diagnosis.checks.filter(({ state }) => state === 'wrong' || state === 'warning')).toEqual([]);
  expect(diagnosis.checks.filter((check) => check.said.startsWith('Not checked'))).toEqual([]);
  expect(diagnosis).toMatchObject({ code: 0, wrong: 0, warnings: 0 });
};

test('the embedded default is healthy before its first start, while it runs, after a crash and after a stop', async () => {
  const installation = await openInstallation();
  const { folder } = installation;
  const initialContent = contentOf(folder);
  expectHealthy(await diagnose(installation));
  expect(contentOf(folder)).toEqual(initialContent);

  const service = await installation.start();
  const runningDiagnosis = await diagnose(installation);
  expectHealthy(runningDiagnosis);
  expect(runningDiagnosis.checks).toContainEqual(
    expect.objectContaining({ id: 'port', said: expect.stringMatching(/^Portico responds at/) as string }),
  );
  expect(statesOf(runningDiagnosis)).toMatchObject({ 'keys.sealed': 'ok', admins: 'ok', 'redis.access': 'skipped' });

  await service.kill();
  expect(existsSync(join(folder, 'portico.sqlite-wal'))).toBe(true);
  const contentAfterCrash = contentOf(folder);
  expectHealthy(await diagnose(installation));
  expect(contentOf(folder)).toEqual(contentAfterCrash);

  await (await installation.start()).stop();
  const contentAfterStop = contentOf(folder);
  expectHealthy(await diagnose(installation));
  expect(contentOf(folder)).toEqual(contentAfterStop);
});

test.skipIf(!postgres || !redis)(
  'an installation with PostgreSQL, Redis and every other server is healthy before and after its first start',
  async () => {
    const [provider, smtp] = [await startIdentityProvider(), await startSmtpServer()];
    const [qdrant, ollama] = [await startFakeQdrant({ apiKey: 'the-key' }), await startFakeOllama()];
    for (const server of [provider, smtp, qdrant, ollama]) onTestFinished(() => server?.close());
    const installation = await openInstallation({
      DATABASE_URL: (await postgres?.createDatabase()) ?? '',
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
    const initialContent = contentOf(installation.folder);
    const before = await diagnose(installation);
    expectHealthy(before);
    // The doctor migrated nothing, and created no key.
    const secondDiagnosis = await diagnose(installation);
    expect(secondDiagnosis.checks.find(({ id }) => id === 'database.tables')?.said).toContain('no tables yet');
    expect(statesOf(secondDiagnosis)).toEqual(statesOf(before));
    expect(contentOf(installation.folder)).toEqual(initialContent);

    await (await installation.start()).stop();
    const after = await diagnose(installation);
    expectHealthy(after);
    expect(after.checks.filter(({ state }) => state === 'skipped').map(({ id }) => id)).toEqual([
      'data.heartbeat',
      'database.intact',
      'mail.templates',
      'identity.local-key',
    ]);
  },
);

test('the table in the documents has every check, in the order of the output', async () => {
  const { checks } = await diagnose(await openInstallation());
  const section =
    readFileSync(join(root, 'docs/operations/troubleshooting.md'), 'utf8').split('\n## portico doctor\n')[1] ?? '';
  const documentedIds = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z.-]+)` /gm)].map(([, id]) => id);
  expect(documentedIds).toEqual(checks.map(({ id }) => id));
});

test('each line of the text output has state, check, fault and advice, and checks skipped for the same reason share a line', async () => {
  const installation = await openInstallation({ REDIS_URL: 'redis://127.0.0.1:9' });
  const { code, stdout } = await installation.runTool('doctor');
  expect(code).toBe(1);
  const lines = stdout.trim().split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^ok {7}configuration: Every variable is valid\.$/));
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^wrong {4}redis\.access: Redis at 127\.0\.0\.1:9 is unavailable: .* Start Redis, or correct host/,
    ),
  );
  expect(lines).toContain(
    'skipped  redis.version, redis.memory, redis.writes, redis.installations: Not checked: redis.access must pass first.',
  );
  expect(lines.at(-1)).toBe('1 wrong, 1 warning.');
  expect(stdout).not.toMatch(/QDRANT|not set|\n +at /);
});
