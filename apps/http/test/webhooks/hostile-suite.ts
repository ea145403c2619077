import { gzipSync } from 'node:zlib';
import { createEgress } from '@portico/egress';
import { stopTime } from '@portico/test-servers';
import { expect, test, vi } from 'vitest';
import { respondWith, type Respond } from '../calls/hostile-api.ts';
import { createTestWebhookEgress, testNetworks } from '../create-test-webhook-egress.ts';
import { createFixtures, expectStatus, textOf, type Start } from '../subject.ts';
import { provideWebhookWorld } from './webhook-world.ts';

/** Tests that webhooks have the same way out as calls, against hostile receivers and addresses. */
export const hostileSuite = (start: Start): void => {
  const world = provideWebhookWorld(start);
  const { asAdmin } = world;
  const testWebhook = async (fields: object) => {
    const webhook = await world.create(fields);
    const { body } = expectStatus(await asAdmin('POST', `${webhook.path}/test`), 200);
    await asAdmin('DELETE', webhook.path);
    return body;
  };

  test.each(['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.1:22/', '//[::1]/', '/again'])(
    'a redirect to %s is not followed',
    async (location) => {
      world.respond('307 Moved', [`Location: ${location}`]);
      const count = world.receiver.requests.length;
      expect((await testWebhook({})).error).toBe('The receiver responded 307: redirects are not followed');
      expect(world.receiver.requests).toHaveLength(count + 1);
    },
  );

  test.each(['http://10.0.0.1/', 'http://192.0.2.1/', 'http://[::1]/', 'http://169.254.169.254/latest/meta-data/'])(
    'a webhook without TLS outside the allowed networks, such as %s, is rejected',
    async (url) => {
      const reply = await asAdmin('POST', '/api/webhooks', { url });
      expect([reply.status, reply.body]).toEqual([
        400,
        {
          detail:
            'Invalid request body: url must use https: the operator can allow a network without TLS with CALL_NETWORKS',
        },
      ]);
      const webhook = await world.create({ active: false });
      expect((await asAdmin('PUT', webhook.path, { url })).status).toBe(400);
      await asAdmin('DELETE', webhook.path);
    },
  );

  test.each([
    ['https://10.0.0.1/', 'private or reserved network'],
    ['https://[fd00::1]/', 'private or reserved network'],
    ['https://2130706434:1/', 'the connection'],
    ['https://0xa000001/', 'private or reserved network'],
    ['https://169.254.169.254/', 'metadata service'],
    ['https://[::ffff:169.254.169.254]/', 'metadata service'],
  ])('a delivery to %s is refused', async (url, reason) => {
    const { status, error } = await testWebhook({ url });
    expect([status, error]).toEqual([null, expect.stringContaining(reason)]);
    expect(error).toMatch(/^The receiver is unreachable: /);
  });

  test('a name is checked when it is looked up, not when it is stored', async () => {
    const { status, error } = await testWebhook({ url: 'http://localhost:1/' });
    // Loopback is allowed in this service, but nothing listens there, and ::1 is not allowed.
    expect([status, error]).toEqual([null, expect.stringMatching(/^The receiver is unreachable: /)]);
  });

  const drip: Respond = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 100);
    socket.on('close', () => clearInterval(timer));
  };
  const hostileResponses: Readonly<Record<string, readonly [respond: Respond, error: RegExp | null]>> = {
    'closes the connection': [(socket) => socket.destroy(), /^The receiver is unreachable: \S/],
    'sends no HTTP': [(socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'), /^The receiver is unreachable: \S/],
    'sends endless headers': [
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(10_000)}`),
      /^The receiver is unreachable: (the headers of its response are too long|its response has too many headers)/,
    ],
    // The status has arrived, and no more is needed.
    'sends a bomb': [
      (socket) => socket.end(respondWith(gzipSync(Buffer.alloc(100_000_000)), ['Content-Encoding: gzip'])),
      null,
    ],
    'sends an endless body': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const pump = () => {
          while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`));
        };
        socket.on('drain', pump);
        pump();
      },
      null,
    ],
  };

  test.each(Object.entries(hostileResponses))('a receiver that %s does no harm', async (_title, [respond, error]) => {
    world.receiver.respond = respond;
    const body = await testWebhook({});
    expect(body.error).toEqual(error === null ? null : expect.stringMatching(error));
  });

  test('a receiver that drips its response slowly has 5 seconds', async () => {
    world.receiver.respond = drip;
    const webhook = await world.create();
    const time = stopTime(vi);
    try {
      const { body } = await time.advanceUntil(asAdmin('POST', `${webhook.path}/test`));
      expect(body).toMatchObject({ status: null, error: 'The receiver did not respond in time' });
    } finally {
      time.restore();
    }
    await asAdmin('DELETE', webhook.path);
  });

  test('a name whose addresses change is checked for each delivery', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1', '169.254.169.254'], ['10.0.0.1'], ['127.0.0.1']];
    const egress = createEgress({
      networks: testNetworks,
      lookup: async () => answers.shift() ?? [],
      limits: { idleConnectionsMax: 0 },
    });
    const rebound = await start({ ports: () => ({ webhookEgress: createTestWebhookEgress(egress) }) });
    try {
      const { admin } = await createFixtures(rebound);
      const url = world.receiver.url.replace('127.0.0.1', 'hooks.test');
      world.respond('200 OK');
      const { id } = (await rebound.client.call('POST', '/api/webhooks', { token: admin, json: { url } })).body;
      const errors: unknown[] = [];
      for (let count = 0; count < 4; count += 1) {
        const reply = await rebound.client.call('POST', `/api/webhooks/${textOf(id)}/test`, { token: admin });
        errors.push(expectStatus(reply, 200).body.error);
      }
      const unreachable = 'The receiver is unreachable: its address is';
      expect(errors).toEqual([
        null,
        expect.stringContaining(`${unreachable} that of a metadata service`),
        expect.stringContaining(`${unreachable} in a private or reserved network`),
        null,
      ]);
    } finally {
      await rebound.close();
      await egress.close();
    }
  });
};
