import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort, createSelfSignedCertificate, startRedis, type Certificate } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openObservedConnection } from '../test/observed-connection.ts';
import type { ConsumerTask } from '../test/limit-consumer.ts';

const rule = { allowed: 5, windowSeconds: 60 };
const password = 'hunter2/with @ signs';

const folder = mkdtempSync(join(tmpdir(), 'portico-redis-tls-'));

/** Starts a server with the certificate. Returns its URLs with and without TLS. */
const startWithCertificate = async ({ key, cert }: Certificate, name: string) => {
  const [keyFile, certFile] = [join(folder, `${name}.key.pem`), join(folder, `${name}.pem`)];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const port = await findFreePort();
  const args = ['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-ca-cert-file', certFile];
  const server = await startRedis({
    args: [...args, '--tls-key-file', keyFile, '--tls-cert-file', certFile],
    password,
  });
  const url = new URL(server!.url);
  return {
    certFile,
    withTls: (host = url.hostname) => `rediss://:${url.password}@${host}:${port}/0`,
    withTlsToPlain: `rediss://:${url.password}@${url.host}/0`,
    withoutTlsToTls: `redis://:${url.password}@${url.hostname}:${port}/0`,
    close: () => server!.close(),
  };
};

const certificate = createSelfSignedCertificate();
const otherCertificate = createSelfSignedCertificate(['DNS:other.example']);
// The server must not run in a container, where it could not read the certificate files.
const plainServer = await startRedis({ args: [] });
const canStart = plainServer?.control && certificate && otherCertificate;
await plainServer?.close();
const server = canStart ? await startWithCertificate(certificate, 'own') : null;
const otherServer = canStart ? await startWithCertificate(otherCertificate, 'another') : null;

const defaultCertificates = getCACertificates('default');
afterEach(() => setDefaultCACertificates(defaultCertificates));
afterAll(async () => {
  await server?.close();
  await otherServer?.close();
  rmSync(folder, { recursive: true });
});
/** Trusts these certificates, with the same effect as NODE_EXTRA_CA_CERTS when a process starts. */
const trust = (...certificates: readonly (Certificate | null)[]): void =>
  setDefaultCACertificates([...defaultCertificates, ...certificates.flatMap((entry) => (entry ? [entry.cert] : []))]);

const warningsAt = async (url: string): Promise<readonly string[]> => {
  const { redis, limiter, warnings, fallbacks, close } = await openObservedConnection(url);
  await expect(redis.probe.check()).rejects.toThrow('Redis at ');
  expect((await limiter.consume('ada', rule)).remaining).toBe(4);
  expect(fallbacks).toEqual([true]);
  await close();
  const problems = warnings.filter((warning) => warning.includes(' is unavailable: '));
  expect(JSON.stringify(warnings)).not.toContain('hunter2');
  return problems.map((warning) => warning.replace(/^Redis at \S+ is unavailable: /, ''));
};

describe.skipIf(!server || !otherServer)('a Redis with a certificate', () => {
  test.each(['127.0.0.1', 'localhost'])('is used over TLS at %s if the certificate is trusted', async (host) => {
    trust(certificate);
    const { redis, limiter, warnings, fallbacks, close } = await openObservedConnection(server!.withTls(host));
    expect(redis.client.stream).toMatchObject({ encrypted: true, authorized: true });
    const results = await Promise.all(Array.from({ length: 9 }, () => limiter.consume(`ada at ${host}`, rule)));
    expect(results.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(5);
    await redis.client.set('large', Buffer.alloc(250_000));
    expect(await redis.client.strlen('large')).toBe(250_000);
    await close();
    expect(warnings).toEqual([]);
    expect(fallbacks).toEqual([]);
  });

  const consumeInProcess = async (environment: NodeJS.ProcessEnv): Promise<{ status: unknown; stderr: string }> => {
    const limits = [{ subject: 'bob', ...rule, requests: 1, durationMs: 0 }];
    const task: ConsumerTask = { url: server!.withTls(), limits };
    const child = fork(join(import.meta.dirname, '../test/limit-consumer.ts'), [JSON.stringify(task)], {
      execArgv: ['-C', '@portico/source'],
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let stderr = '';
    child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
    const [status] = (await once(child, 'close')) as [unknown];
    return { status, stderr };
  };

  test('is used only by a process that trusts its CA through NODE_EXTRA_CA_CERTS', async () => {
    expect(await consumeInProcess({ NODE_EXTRA_CA_CERTS: server!.certFile })).toEqual({ status: 0, stderr: '' });
    const { status, stderr } = await consumeInProcess({ NODE_EXTRA_CA_CERTS: otherServer!.certFile });
    expect(status).not.toBe(0);
    expect(stderr).toContain('its certificate is not trusted');
    expect(stderr).not.toContain('hunter2');
  });

  test('that is not trusted never receives the password, and the warning explains the fix', async () => {
    expect(await warningsAt(server!.withTls())).toEqual([
      'its certificate is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT (set NODE_EXTRA_CA_CERTS to trust your own CA)',
    ]);
  });

  test('for a different name is not used, and the warning contains that name', async () => {
    trust(otherCertificate);
    expect(await warningsAt(otherServer!.withTls('localhost'))).toEqual([
      expect.stringMatching(/^Hostname\/IP does not match .*localhost.* DNS:other\.example$/),
    ]);
  });

  test('is verified even if the process disables verification', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await warningsAt(server!.withTls())).toEqual([expect.stringContaining('is not trusted')]);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('is unavailable if only one side uses TLS', async () => {
    expect(await warningsAt(server!.withTlsToPlain)).toEqual([
      'connect ETIMEDOUT (use redis:// for a server without TLS)',
    ]);
    expect(await warningsAt(server!.withoutTlsToTls)).toHaveLength(1);
  });
});
