import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get as httpGet, type RequestOptions } from 'node:http';
import { get as httpsGet } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipUnlessRequired, findFreePort, findOnPath, createSelfSignedCertificate } from '@portico/test-servers';
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
    const get = address.startsWith('https:') ? httpsGet : httpGet;
    get(address, { agent: false, rejectUnauthorized: false, headers }, (response) => {
      let body = '';
      response.on('data', (bytes: Buffer) => (body += bytes.toString()));
      response.on('end', () => resolve({ status: response.statusCode, location: response.headers.location, body }));
      response.on('error', reject);
    }).on('error', reject);
  });

/** Starts HAProxy with the stack's configuration, except that it listens on free ports and has one server. */
const startProxy = async (installation: Installation, servicePort: string, variables: Record<string, string> = {}) => {
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
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
  return { child, httpUrl: `http://127.0.0.1:${port}`, httpsUrl: `https://127.0.0.1:${tlsPort}` };
};

describe.skipIf(!program)('the proxy of the stack', () => {
  let installation: Installation;
  let servicePort: string;
  const proxies: ChildProcess[] = [];
  const start = async (variables?: Record<string, string>) => {
    const proxy = await startProxy(installation, servicePort, variables);
    proxies.push(proxy.child);
    await expect.poll(async () => (await sendRequest(`${proxy.httpUrl}/health`)).status).toBe(200);
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
    const { httpUrl } = await start();
    for (const path of ['/metrics', '/METRICS', '/metrics/', '/metrics?x=1']) {
      expect(await sendRequest(httpUrl + path), path).toMatchObject({ status: 404, body: '{"detail": "Not found"}' });
    }
  });

  test('does not trust a caller that states its own address', async () => {
    const { httpUrl } = await start();
    const statuses = [];
    for (const forgedAddress of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      statuses.push((await sendRequest(`${httpUrl}/api/collections/`, { 'X-Forwarded-For': forgedAddress })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });

  test('redirects callers to https if it has a certificate, but passes its own health check', async () => {
    const certificate = createSelfSignedCertificate();
    expect(certificate).not.toBeNull();
    const certificateFile = join(installation.folder, 'certificate.pem');
    writeFileSync(certificateFile, `${certificate!.cert}${certificate!.key}`, { mode: 0o600 });
    const { httpUrl, httpsUrl } = await start({ TLS_CERTIFICATE_FILE: certificateFile });
    const redirectOf = async (address: string, Host: string) => {
      const { status, location } = await sendRequest(address, { Host });
      expect(status).toBe(308);
      return location;
    };
    const path = '/docs?x=1';
    expect(await redirectOf(httpUrl + path, 'portico.example')).toBe('https://portico.example/docs?x=1');
    // It does not redirect to the plain HTTP port, which does not support TLS.
    expect(await redirectOf(httpUrl + path, 'localhost:3000')).toBe('https://localhost/docs?x=1');
    expect(await redirectOf(httpUrl + path, '[::1]:3000')).toBe('https://[::1]/docs?x=1');
    expect((await sendRequest(`${httpsUrl}/openapi.json`)).status).toBe(200);
    const proxyWithTlsPort = await start({ TLS_CERTIFICATE_FILE: certificateFile, TLS_PORT: '8444' });
    expect(await redirectOf(proxyWithTlsPort.httpUrl + path, 'localhost:3000')).toBe('https://localhost:8444/docs?x=1');
  });

  test("reports to the service whether a caller used TLS, and ignores the caller's own header", async () => {
    const certificate = createSelfSignedCertificate();
    const certificateFile = join(installation.folder, 'scheme.pem');
    writeFileSync(certificateFile, `${certificate!.cert}${certificate!.key}`, { mode: 0o600 });
    const { httpsUrl } = await start({ TLS_CERTIFICATE_FILE: certificateFile });
    const { httpUrl } = await start();
    const readTokenEndpoint = async (address: string, scheme: string) => {
      const { body } = await sendRequest(`${address}/local-issuer/.well-known/openid-configuration`, {
        'X-Forwarded-Proto': scheme,
      });
      return (JSON.parse(body) as { readonly token_endpoint: string }).token_endpoint;
    };
    expect(await readTokenEndpoint(httpsUrl, 'http')).toBe(`${httpsUrl}/local-issuer/token`);
    expect(await readTokenEndpoint(httpUrl, 'https')).toBe(`${httpUrl}/local-issuer/token`);
  });

  test("responds in the service's format if no process is available", async () => {
    const { child, httpUrl } = await startProxy(installation, String(await findFreePort()));
    proxies.push(child);
    expect(await sendRequest(`${httpUrl}/health`)).toMatchObject({
      status: 503,
      body: '{"detail": "Service unavailable"}',
    });
  });
});
