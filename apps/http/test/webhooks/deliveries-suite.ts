import { describe, expect, test } from 'vitest';
import { noRequest, respondWith } from '../calls/hostile-api.ts';
import { expectStatus, textOf, type Start } from '../subject.ts';
import { provideWebhookWorld } from './webhook-world.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

/** Tests which events are sent, how they are signed, and how failures are repeated. */
export const deliveriesSuite = (start: Start): void => {
  const world = provideWebhookWorld(start);
  const { asAdmin, fixtures, subject } = world;

  describe('events', () => {
    test('a changed collection is reported, signed as Standard Webhooks defines it', async () => {
      const webhook = await world.create({ events: ['collection.changed'] });
      const id = await world.change();
      await subject.runJobs();
      const [request = noRequest, ...others] = webhook.received();
      expect(others).toEqual([]);
      expect(world.verify(webhook.secret, request)).toEqual({
        type: 'collection.changed',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        data: {
          collection_id: id,
          collection: 'Collection of webhooks',
          fields: ['description'],
          changes: null,
          document_digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          actor: 'admin@example.com',
        },
      });
      expect(request.method).toBe('POST');
      expect(request.headers).toMatchObject({
        'content-type': ['application/json'],
        'user-agent': ['Portico'],
        'webhook-id': [expect.stringMatching(/^[0-9a-f-]{36}$/)],
        'webhook-timestamp': [expect.stringMatching(/^\d{10}$/)],
      });
      expect(() => world.verify(webhook.secret, { ...request, body: `${request.body} ` })).toThrow('No matching');
      expect(await world.attemptsOf(webhook)).toMatchObject([
        { event: 'collection.changed', attempt: 1, status: 200, error: null, next_attempt_at: null },
      ]);
      expect((await asAdmin('DELETE', webhook.path)).status).toBe(204);
    });

    test('a breaking change is reported with its rules, and a compatible one is not', async () => {
      const webhook = await world.create({ events: ['collection.breaking'] });
      const id = await world.change();
      const replaceDocument = (paths: object) =>
        asAdmin('PUT', `/api/collections/${id}`, {
          openapi_spec: { openapi: '3.0.3', info: { title: 'Berths', version: '1' }, paths },
        });
      expectStatus(await replaceDocument({ '/berths': { get: { responses: {} } } }), 200);
      await subject.runJobs();
      expect(webhook.received()).toEqual([]);
      expectStatus(await replaceDocument({}), 200);
      await subject.runJobs();
      const [request = noRequest, ...others] = webhook.received();
      expect(others).toEqual([]);
      expect(world.verify(webhook.secret, request)).toMatchObject({
        type: 'collection.breaking',
        data: {
          collection_id: id,
          changes: { breaking: 1 },
          breaking: [{ rule: 'api-path-removed-without-deprecation', method: 'GET', path: '/berths' }],
          actor: 'admin@example.com',
        },
      });
      await asAdmin('DELETE', webhook.path);
    });

    test('a deprecation is reported once, with its dates', async () => {
      const webhook = await world.create({ events: ['collection.deprecated'] });
      const id = await world.change();
      for (const sunset of ['2030-01-31', '2030-02-28'])
        expectStatus(await asAdmin('PUT', `/api/collections/${id}/lifecycle`, { state: 'deprecated', sunset }), 200);
      await subject.runJobs();
      const requests = webhook.received();
      expect(requests).toHaveLength(1);
      expect(world.verify(webhook.secret, requests[0] ?? noRequest)).toMatchObject({
        type: 'collection.deprecated',
        data: { collection_id: id, sunset: expect.stringMatching(/^2030-0/) as string, successor_id: null, text: null },
      });
      await asAdmin('DELETE', webhook.path);
    });

    test('a change that changes nothing, or that is rejected, sends nothing', async () => {
      const webhook = await world.create();
      const id = await world.change();
      await subject.runJobs();
      const { length } = webhook.received();
      expectStatus(await asAdmin('PUT', `/api/collections/${id}`, { description: 'Else' }), 200);
      expectStatus(await asAdmin('PUT', `/api/collections/${id}`, { name: 7 }), 400);
      await subject.runJobs();
      expect(webhook.received()).toHaveLength(length);
      await asAdmin('DELETE', webhook.path);
    });

    test('a request for access is reported', async () => {
      const webhook = await world.create({ events: ['access.requested'] });
      const [client, collection_id] = [
        await fixtures.newClient(),
        await fixtures.newCollection({ discoverable: true }),
      ];
      const json = { collection_id, reason: 'Why not', duration_days: 30 };
      const reply = await world.call('POST', '/api/access/requests', { token: client.token, json });
      await subject.runJobs();
      expect(webhook.received().map((request) => world.verify(webhook.secret, request))).toMatchObject([
        {
          type: 'access.requested',
          data: {
            request_id: expectStatus(reply, 201).body.id,
            profile_id: client.id,
            profile: client.email,
            collection_id,
            reason: 'Why not',
            duration_days: 30,
          },
        },
      ]);
      await asAdmin('DELETE', webhook.path);
    });

    test('a replaced key is reported without its secrets, also if its owner replaced it', async () => {
      const webhook = await world.create({ events: ['key.rotated'] });
      const client = await fixtures.newClient();
      const byAdmin = await asAdmin('POST', `/api/profiles/${client.id}/credentials`, { grace_seconds: 60 });
      const secret = textOf(expectStatus(byAdmin, 200).body.client_secret);
      const own = await world.call('POST', '/api/profiles/me/credentials', { token: client.token });
      const ownSecret = textOf(expectStatus(own, 200).body.client_secret);
      await subject.runJobs();
      const bodies = webhook.received().map((request) => world.verify(webhook.secret, request));
      expect(bodies.map(({ data }) => (data as { actor: string }).actor).toSorted()).toEqual([
        'admin@example.com',
        client.email,
      ]);
      const data = { profile_id: client.id, profile: client.email, client_id: client.key.clientId };
      for (const body of bodies) expect(body).toMatchObject({ type: 'key.rotated', data });
      for (const { body } of webhook.received())
        for (const leak of [client.key.secret, secret, ownSecret]) expect(body).not.toContain(leak);
      await asAdmin('DELETE', webhook.path);
    });

    test('access that expires soon is reported with the expiry notices', async () => {
      const webhook = await world.create({ events: ['grant.expiring'] });
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      const now = subject.clock?.now() ?? Date.now();
      const json = { expires_at: new Date((Math.floor(now / day) + 1) * day + second).toISOString() };
      await asAdmin('POST', `/api/access/clients/${client.id}/collections/${collection}`, json);
      expect(await subject.useCases.sendExpiryNotices()).toBe(true);
      await subject.runJobs();
      expect(webhook.received().map((request) => world.verify(webhook.secret, request))).toMatchObject([
        { type: 'grant.expiring', data: { total: 1, expiries: [{ profile: client.email, group: null }] } },
      ]);
      await asAdmin('DELETE', webhook.path);
    });

    test('only active webhooks receive events, and only those they name', async () => {
      const inactiveWebhook = await world.create({ active: false });
      const otherWebhook = await world.create({ events: ['key.rotated', 'access.requested'] });
      const laterWebhook = await world.create();
      await world.change();
      await asAdmin('PUT', laterWebhook.path, { active: false });
      await subject.runJobs();
      for (const webhook of [inactiveWebhook, otherWebhook, laterWebhook]) {
        expect(webhook.received()).toEqual([]);
        await asAdmin('DELETE', webhook.path);
      }
    });
  });

  test('for a day after a rotation, both secrets sign', async () => {
    const webhook = await world.create();
    const rotate = async () => textOf(expectStatus(await asAdmin('POST', `${webhook.path}/rotate`), 200).body.secret);
    const secrets = [webhook.secret, await rotate(), await rotate()];
    const test = async () => {
      await asAdmin('POST', `${webhook.path}/test`);
      const request = webhook.received().at(-1) ?? noRequest;
      const isVerified = secrets.map((secret) => {
        try {
          return world.verify(secret, request)['type'] === 'webhook.test';
        } catch {
          return false;
        }
      });
      return [isVerified, request.headers['webhook-signature']?.[0]?.split(' ').length];
    };
    expect(await test()).toEqual([[false, true, true], 2]);
    if (subject.clock) {
      subject.clock.advance(day - 1);
      expect(await test()).toEqual([[false, true, true], 2]);
      subject.clock.advance(1);
      expect(await test()).toEqual([[false, false, true], 1]);
    }
    await asAdmin('DELETE', webhook.path);
    await world.expectUnrecorded(...secrets.map((secret) => secret.slice('whsec_'.length)));
  });

  test('a failure is repeated under the same id after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, and is then a dead letter', async () => {
    const { clock } = subject;
    if (!clock) return;
    const webhook = await world.create();
    world.respond('500 Oh');
    await world.change();
    const startedAt = clock.now();
    const delays = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
    for (const [index, delay] of delays.entries()) {
      if (delay > 0) {
        clock.advance(delay - 1);
        await subject.runJobs();
        expect(webhook.received()).toHaveLength(index);
        clock.advance(1);
      }
      await subject.runJobs();
      expect(webhook.received()).toHaveLength(index + 1);
      const nextDelay = delays[index + 1];
      expect((await world.attemptsOf(webhook))[0]).toMatchObject({
        attempt: index + 1,
        status: 500,
        error: 'The receiver responded 500',
        next_attempt_at: nextDelay === undefined ? null : new Date(clock.now() + nextDelay).toISOString(),
      });
    }
    clock.advance(365 * day);
    await subject.runJobs();
    expect(webhook.received()).toHaveLength(delays.length);
    expect(
      new Set(webhook.received().map(({ headers, body }) => `${headers['webhook-id']?.join()} ${body}`)).size,
    ).toBe(1);
    const deadLetters = (await asAdmin('GET', '/api/jobs/dead')).list;
    expect(deadLetters).toMatchObject([
      { kind: 'webhook', attempts: 7, error: `Webhook ${webhook.id}: The receiver responded 500` },
    ]);
    const reply = await asAdmin('GET', webhook.path);
    expect(reply.body).toMatchObject({ active: true, failing_since: new Date(startedAt).toISOString() });
    // It can be sent again, with a new timestamp.
    world.respond('204 None');
    expectStatus(await asAdmin('POST', `/api/jobs/dead/${textOf(deadLetters[0]?.['id'])}/retry`), 200);
    await subject.runJobs();
    expect(world.verify(webhook.secret, webhook.received().at(-1) ?? noRequest)['type']).toBe('collection.changed');
    expect((await asAdmin('GET', webhook.path)).body.failing_since).toBeNull();
    await asAdmin('DELETE', webhook.path);
  });

  test('a 410 deactivates the webhook, which is audited, and nothing is repeated', async () => {
    const webhook = await world.create();
    world.respond('410 Gone');
    await world.change();
    await subject.runJobs();
    await world.change();
    subject.clock?.advance(day);
    await subject.runJobs();
    expect(webhook.received()).toHaveLength(1);
    expect(await world.attemptsOf(webhook)).toMatchObject([
      { status: 410, error: 'The receiver responded 410: the webhook was deactivated', next_attempt_at: null },
    ]);
    expect((await asAdmin('GET', webhook.path)).body.active).toBe(false);
    const { data } = (await asAdmin('GET', '/api/audit/?source=system&action=webhook.deactivate')).body;
    expect(data).toMatchObject([{ message: { webhook_id: webhook.id, webhook: world.receiver.url } }]);
    world.respond('200 OK');
    expect((await asAdmin('PUT', webhook.path, { active: true })).body).toMatchObject({ failing_since: null });
    await world.change();
    await subject.runJobs();
    expect(webhook.received()).toHaveLength(2);
    await asAdmin('DELETE', webhook.path);
  });

  test.each([
    ['200 OK', null],
    ['299 Fine', null],
    ['300 Many', 'The receiver responded 300: redirects are not followed'],
    ['304 Same', 'The receiver responded 304: redirects are not followed'],
    ['400 No', 'The receiver responded 400'],
    ['429 Slow', 'The receiver responded 429'],
  ])('a response %s is a success or a failure', async (status, error) => {
    const webhook = await world.create({ active: false });
    world.respond(status);
    const reply = expectStatus(await asAdmin('POST', `${webhook.path}/test`), 200);
    expect(reply.body).toMatchObject({ event: 'webhook.test', status: Number(status.slice(0, 3)), error });
    expect(await world.attemptsOf(webhook)).toEqual([reply.body]);
    await asAdmin('DELETE', webhook.path);
  });

  test('no part of a response is recorded', async () => {
    const webhook = await world.create();
    const secret = 'a-secret-of-the-receiver';
    world.receiver.respond = (socket) => socket.end(respondWith(secret, [`X-It: ${secret}`], `500 ${secret}`));
    await world.change();
    await subject.runJobs();
    expect((await asAdmin('GET', `${webhook.path}/deliveries`)).text).not.toContain(secret);
    await world.expectUnrecorded(secret, '/hook/');
    await asAdmin('DELETE', webhook.path);
    world.respond('200 OK');
  });
};
