import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get as getPlain, type RequestOptions } from 'node:http';
import { get as getByTls } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipUnlessRequired, freePort, findOnPath, selfSignedCertificate } from '@portico/test-servers';
import { endProcess, root } from '../src/service-process.ts';
import { createInstallation, type Installation } from './installation.ts';

const program =
  findOnPath('haproxy') ?? skipUnlessRequired('HAProxy', 'install it (Debian, Ubuntu: apt-get install haproxy)');

interface ProxyResponse {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly body: string;
}

const sendRequest = (address: string, headers: RequestOptions['headers'] = {}): Promise<ProxyResponse> =>
  new Promise((resolve, reject) => {
    const get = address.startsWith('https:') ? getByTls : getPlain;
    get(address, { agent: false, rejectUnauthorized: false, headers }, (response) => {
      let body = '';
      response.on('data', (bytes: Buffer) => (body += bytes.toString()));
      response.on('end', () => resolve({ status: response.statusCode, location: response.headers.location, body }));
      response.on('error', reject);
    }).on('error', reject);
  });

/** Starts HAProxy with the stack's configuration, except that it listens on free ports and has one server. */
const startProxy = async (installation: Installation, servicePort: string, variables: Record<string, string> = {}) => {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const text = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('bind :8443', `bind 127.0.0.1:${tlsPort}`)
    .replaceAll('server-template http 16 http:3000', `server http 127.0.0.1:${servicePort}`);
  const file = join(installation.folder, 'haproxy.cfg');
  writeFileSync(file, text);
  const log = openSync(`${file}.log`, 'a');
  const child = spawn(program!, ['-db', '-f', file], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...variables },
  });
  closeSync(log);
  await expect.poll(() => sendRequest(`http://127.0.0.1:${port}/`).catch(() => null)).not.toBeNull();
  return { child, plain: `http://127.0.0.1:${port}`, byTls: `https://127.0.0.1:${tlsPort}` };
};

describe.skipIf(!program)('the proxy of the stack', () => {
  let installation: Installation;
  let servicePort: string;
  const proxies: ChildProcess[] = [];
  const start = async (variables?: Record<string, string>) => {
    const proxy = await startProxy(installation, servicePort, variables);
    proxies.push(proxy.child);
    await expect.poll(async () => (await sendRequest(`${proxy.plain}/health`)).status).toBe(200);
    return proxy;
  };
  beforeAll(async () => {
    installation = await createInstallation({ TRUST_PROXY: '1', RATE_LIMIT_ANONYMOUS: '2/3600' });
    servicePort = new URL((await installation.compose()).address).port;
  });
  afterAll(async () => {
    for (const child of proxies) await endProcess(child, 'SIGKILL');
    await installation.remove();
  });

  test('does not expose the metrics of a process', async () => {
    const { plain } = await start();
    for (const path of ['/metrics', '/METRICS', '/metrics/', '/metrics?x=1']) {
      expect(await sendRequest(plain + path), path).toMatchObject({ status: 404, body: '{"detail": "Not found"}' });
    }
  });

  test('does not trust a caller that states its own address', async () => {
    const { plain } = await start();
    const statuses = [];
    for (const forgedAddress of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      statuses.push((await sendRequest(`${plain}/api/collections/`, { 'X-Forwarded-For': forgedAddress })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });

  test('redirects callers to https if it has a certificate, but passes its own health check', async () => {
    const certificate = selfSignedCertificate();
    expect(certificate).not.toBeNull();
    const pem = join(installation.folder, 'certificate.pem');
    writeFileSync(pem, `${certificate!.cert}${certificate!.key}`, { mode: 0o600 });
    const { plain, byTls } = await start({ TLS_CERTIFICATE_FILE: pem });
    const redirectOf = async (address: string, Host: string) => {
      const { status, location } = await sendRequest(address, { Host });
      expect(status).toBe(308);
      return location;
    };
    const path = '/docs?x=1';
    expect(await redirectOf(plain + path, 'portico.example')).toBe('https://portico.example/docs?x=1');
    // It does not redirect to the plain HTTP port, which does not support TLS.
    expect(await redirectOf(plain + path, 'localhost:3000')).toBe('https://localhost/docs?x=1');
    expect(await redirectOf(plain + path, '[::1]:3000')).toBe('https://[::1]/docs?x=1');
    expect((await sendRequest(`${byTls}/openapi.json`)).status).toBe(200);
    const elsewhere = await start({ TLS_CERTIFICATE_FILE: pem, TLS_PORT: '8444' });
    expect(await redirectOf(elsewhere.plain + path, 'localhost:3000')).toBe('https://localhost:8444/docs?x=1');
  });

  test("reports to the service whether a caller used TLS, and ignores the caller's own header", async () => {
    const certificate = selfSignedCertificate();
    const pem = join(installation.folder, 'scheme.pem');
    writeFileSync(pem, `${certificate!.cert}${certificate!.key}`, { mode: 0o600 });
    const { byTls } = await start({ TLS_CERTIFICATE_FILE: pem });
    const { plain } = await start();
    const issuerAt = async (address: string, scheme: string) => {
      const { body } = await sendRequest(`${address}/.well-known/openid-configuration`, {
        'X-Forwarded-Proto': scheme,
      });
      return (JSON.parse(body) as { readonly token_endpoint: string }).token_endpoint;
    };
    expect(await issuerAt(byTls, 'http')).toBe(`${byTls}/local-issuer/token`);
    expect(await issuerAt(plain, 'https')).toBe(`${plain}/local-issuer/token`);
  });

  test("responds in the service's format if no process is available", async () => {
    const { child, plain } = await startProxy(installation, String(await freePort()));
    proxies.push(child);
    expect(await sendRequest(`${plain}/health`)).toMatchObject({
      status: 503,
      body: '{"detail": "Service unavailable"}',
    });
  });
});
