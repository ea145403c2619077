import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { LoopbackServer, startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from './installation.ts';

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

let installation: Installation | undefined;
afterEach(() => installation?.remove());

interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a receiver that fails for the first `failures` events. */
const startReceiver = async (failures: number) => {
  const events: ReceivedEvent[] = [];
  const server = await LoopbackServer.start(
    createServer((request, response) => {
      void request.toArray().then((chunks) => {
        events.push({ headers: request.headers, body: Buffer.concat(chunks as Buffer[]).toString() });
        response.writeHead(events.length > failures ? 204 : 503).end();
      });
    }),
  );
  return { url: `http://127.0.0.1:${server.port}/`, events, stop: () => server.stop() };
};

const isSigned = (secret: string, { headers, body }: ReceivedEvent): boolean => {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};

describe.skipIf(!postgres || !redis)('on PostgreSQL and Redis', () => {
  test('a worker sends the events of a service that runs no jobs and makes no calls, and repeats a failure', async () => {
    installation = await createInstallation({
      JOBS: 'off',
      CALLS: 'off',
      CALL_NETWORKS: '127.0.0.1',
      DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
    });
    const receiver = await startReceiver(1);
    try {
      const { api, start, createAdminToken, spawnWorker } = installation;
      await start();
      const admin = await createAdminToken();
      const { secret } = await api.request<{ secret: string }>(admin, 'POST', '/api/webhooks', { url: receiver.url });
      const openapi_spec = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };
      const input = { name: 'Weather', openapi_spec };
      const { id } = await api.request<{ id: string }>(admin, 'POST', '/api/collections/', input);
      await api.request(admin, 'PUT', `/api/collections/${id}`, { name: 'Climate' });
      spawnWorker();
      await expect.poll(() => receiver.events.length, { timeout: 60_000 }).toBe(2);
      const [first, second] = receiver.events;
      for (const event of receiver.events) expect(isSigned(secret, event)).toBe(true);
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect(second?.body).toBe(first?.body);
      expect(JSON.parse(first?.body ?? '')).toMatchObject({
        type: 'collection.changed',
        data: { collection_id: id, collection: 'Climate', fields: ['name'] },
      });
    } finally {
      await receiver.stop();
    }
  });
});
