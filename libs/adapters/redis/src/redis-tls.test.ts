import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort, selfSignedCertificate, startRedis, type Certificate } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openObserved } from '../test/observed-connection.ts';
import type { TakerOrders } from '../test/taker.ts';

const rule = { allowed: 5, windowSeconds: 60 };
const password = 'hunter2/with @ signs';

const folder = mkdtempSync(join(tmpdir(), 'portico-redis-tls-'));

/** A server with the certificate, and its addresses with and without TLS. */
const startWith = async ({ key, cert }: Certificate, name: string) => {
  const [keyFile, certFile] = [join(folder, `${name}.key.pem`), join(folder, `${name}.pem`)];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const port = await freePort();
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

const certificate = selfSignedCertificate();
const ofAnother = selfSignedCertificate(['DNS:other.example']);
// A server in a container cannot read the certificate files.
const plain = await startRedis({ args: [] });
const canStart = plain?.control && certificate && ofAnother;
await plain?.close();
const server = canStart ? await startWith(certificate, 'own') : null;
const another = canStart ? await startWith(ofAnother, 'another') : null;

const before = getCACertificates('default');
afterEach(() => setDefaultCACertificates(before));
afterAll(async () => {
  await server?.close();
  await another?.close();
  rmSync(folder, { recursive: true });
});
/** Does what NODE_EXTRA_CA_CERTS does when a process starts. */
const trust = (...certificates: readonly (Certificate | null)[]): void =>
  setDefaultCACertificates([...before, ...certificates.flatMap((one) => (one ? [one.cert] : []))]);

const warningsAt = async (url: string): Promise<readonly string[]> => {
  const { redis, limiter, warnings, fallbacks, close } = await openObserved(url);
  await expect(redis.probe.check()).rejects.toThrow('Redis at ');
  expect((await limiter.consume('ada', rule)).remaining).toBe(4);
  expect(fallbacks).toEqual([true]);
  await close();
  const away = warnings.filter((warning) => warning.includes(' is away: '));
  expect(JSON.stringify(warnings)).not.toContain('hunter2');
  return away.map((warning) => warning.replace(/^Redis at \S+ is away: /, ''));
};

describe.skipIf(!server || !another)('a Redis with a certificate', () => {
  test.each(['127.0.0.1', 'localhost'])('is used over TLS at %s if the certificate is trusted', async (host) => {
    trust(certificate);
    const { redis, limiter, warnings, fallbacks, close } = await openObserved(server!.withTls(host));
    expect(redis.client.stream).toMatchObject({ encrypted: true, authorized: true });
    const taken = await Promise.all(Array.from({ length: 9 }, () => limiter.consume(`ada at ${host}`, rule)));
    expect(taken.filter(({ admitted }) => admitted)).toHaveLength(5);
    await redis.client.set('large', Buffer.alloc(250_000));
    expect(await redis.client.strlen('large')).toBe(250_000);
    await close();
    expect(warnings).toEqual([]);
    expect(fallbacks).toEqual([]);
  });

  const takeInOneProcess = async (environment: NodeJS.ProcessEnv): Promise<{ status: unknown; said: string }> => {
    const limits = [{ subject: 'bob', ...rule, requests: 1, lastsMs: 0 }];
    const orders: TakerOrders = { url: server!.withTls(), limits };
    const taker = fork(join(import.meta.dirname, '../test/taker.ts'), [JSON.stringify(orders)], {
      execArgv: ['-C', '@portico/source'],
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    taker.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    const [status] = (await once(taker, 'close')) as [unknown];
    return { status, said };
  };

  test('is used by a process that trusts its CA through NODE_EXTRA_CA_CERTS, and by no other', async () => {
    expect(await takeInOneProcess({ NODE_EXTRA_CA_CERTS: server!.certFile })).toEqual({ status: 0, said: '' });
    const { status, said } = await takeInOneProcess({ NODE_EXTRA_CA_CERTS: another!.certFile });
    expect(status).not.toBe(0);
    expect(said).toContain('its certificate is not trusted');
    expect(said).not.toContain('hunter2');
  });

  test('that is not trusted never gets the password, and the warning says what to do', async () => {
    expect(await warningsAt(server!.withTls())).toEqual([
      'its certificate is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT (set NODE_EXTRA_CA_CERTS to trust a CA of your own)',
    ]);
  });

  test('for another name is not used, and the warning says for which', async () => {
    trust(ofAnother);
    expect(await warningsAt(another!.withTls('localhost'))).toEqual([
      expect.stringMatching(/^Hostname\/IP does not match .*localhost.* DNS:other\.example$/),
    ]);
  });

  test('is verified even if the process switches verification off', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await warningsAt(server!.withTls())).toEqual([expect.stringContaining('is not trusted')]);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('is away if only one side speaks TLS', async () => {
    expect(await warningsAt(server!.withTlsToPlain)).toEqual([
      'connect ETIMEDOUT (use redis:// for a server without TLS)',
    ]);
    expect(await warningsAt(server!.withoutTlsToTls)).toHaveLength(1);
  });
});
