import { createSelfSignedCertificate } from '@portico/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { respondWith, startUpstream, type HostileUpstream } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';

const certificate = createSelfSignedCertificate(['DNS:api.example', 'IP:127.0.0.1']);
const lookup = async (): Promise<readonly string[]> => ['127.0.0.1'];
const advice = 'check its certificate, or add its authority with NODE_EXTRA_CA_CERTS';

describe.skipIf(!certificate)('with TLS', () => {
  const trust = certificate ? { authority: certificate.cert } : {};
  const start = (): Promise<HostileUpstream> =>
    startUpstream((socket) => socket.write(respondWith('ok')), { certificate });
  const previousSetting = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];

  afterEach(() => {
    if (previousSetting === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = previousSetting;
  });

  test.each(['api.example', 'api.example.', '127.0.0.1'])('%s has a valid certificate', async (hostname) => {
    const { port } = await start();
    const egress = openEgress({ lookup, ...trust });
    expect(await outcomeOf(sendTo(egress, `https://${hostname}:${port}/`))).toBe('200 ok');
  });

  test('the server is asked for the name, and not for the address', async () => {
    const names: unknown[] = [];
    const upstream = await startUpstream((socket) => socket.write(respondWith('ok')), {
      certificate,
      onConnection: (socket) => names.push((socket as { readonly servername?: unknown }).servername),
    });
    const egress = openEgress({ lookup, ...trust });
    for (const hostname of ['api.example', 'api.example.', '127.0.0.1']) {
      await sendTo(egress, `https://${hostname}:${upstream.port}/`);
    }
    expect(names).toEqual(['api.example', 'api.example', false]);
  });

  test.each(['other.example', 'example', 'www.api.example'])(
    'a certificate for a name other than %s',
    async (hostname) => {
      const upstream = await start();
      const egress = openEgress({ lookup, ...trust });
      const outcome = await outcomeOf(sendTo(egress, `https://${hostname}:${upstream.port}/`));
      expect(outcome).toBe(`${unreachable}its certificate is for a different name: check the address of the API`);
      expect(upstream.requests).toEqual([]);
    },
  );

  test.each([undefined, '0'])('a self-signed certificate, with NODE_TLS_REJECT_UNAUTHORIZED=%s', async (setting) => {
    if (setting !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = setting;
    const upstream = await start();
    const outcome = await outcomeOf(sendTo(openEgress({ lookup }), `https://api.example:${upstream.port}/`));
    expect(outcome).toBe(`${unreachable}its certificate is self-signed: ${advice}`);
    expect(upstream.requests).toEqual([]);
  });

  test('a server without TLS', async () => {
    const upstream = await startUpstream((socket) => socket.end(respondWith('ok')), {
      onConnection: (socket) => socket.once('data', () => socket.end(respondWith('ok'))),
    });
    const outcome = await outcomeOf(sendTo(openEgress(), `https://127.0.0.1:${upstream.port}/`));
    expect(outcome).toBe(`${unreachable}it does not use TLS on this port: check the protocol and port of the API`);
  });

  test('a server with TLS, and a URL without', async () => {
    const upstream = await start();
    const outcome = await outcomeOf(sendTo(openEgress(), `http://127.0.0.1:${upstream.port}/`));
    expect(outcome).toMatch(/^The API is unreachable: (its response does not follow HTTP|it (re|c)\w+ the connection)/);
    expect(upstream.requests).toEqual([]);
  });

  test('a server that closes during the handshake', async () => {
    const upstream = await startUpstream(() => {}, { onConnection: (socket) => socket.destroy() });
    const outcome = await outcomeOf(sendTo(openEgress(), `https://127.0.0.1:${upstream.port}/`));
    expect(outcome).toBe(`${unreachable}it reset the connection`);
  });
});
