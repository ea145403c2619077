import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../reply.ts';
import { expectStatus, type Start } from '../subject.ts';
import { provideCallWorld } from './call-world.ts';
import { accessToken, bearer, oauth } from './credential-kinds.ts';
import { respondWith, type ReceivedRequest } from './hostile-api.ts';

/** Tests the errors of calls, and access tokens. */
export const failuresSuite = (start: Start): void => {
  const world = provideCallWorld(start);

  test('a call that needs a decision is a 202, and is not sent', async () => {
    const target = await world.create(bearer);
    const { client, id, keys } = target;
    const rule = { expires_at: null, ask: [keys['putItem']] };
    expectStatus(await world.asAdmin('PUT', `/api/access/clients/${client.id}/collections/${id}`, rule), 200);
    const count = world.api.requests.length;
    for (const [, send] of world.ways) expect((await send(target)).result).toMatchObject({ state: 'waiting' });
    expect(world.api.requests.length).toBe(count);
    // Otherwise, the caller would find out after the approval.
    const { reply } = await world.callByRest(target, { id: '7', body: 'x'.repeat(1_048_577) });
    expect(reply.status).toBe(400);
  });

  test('a call of a retired API is a 409 that names its successor, and is not sent', async () => {
    const [target, other] = [await world.create(bearer), await world.create(bearer)];
    const path = `/api/collections/${target.id}/lifecycle`;
    expectStatus(await world.asAdmin('PUT', path, { state: 'deprecated', successor: other.id }), 200);
    expect((await world.callByRest(target)).reply.headers).toMatchObject({ deprecation: expect.any(String) as string });
    const count = world.api.requests.length;
    expectStatus(await world.asAdmin('PUT', path, { state: 'retired' }), 200);
    expect(errorOf((await world.callByRest(target)).reply)).toEqual([
      409,
      `Collection retired: use ${other.id} instead`,
    ]);
    expect(String((await world.callByMcp(target)).result['detail'])).toContain('Collection retired: use ');
    expect(world.api.requests.length).toBe(count);
  });

  test('a call without a credential is a 424 that names the missing one', async () => {
    const target = await world.create(bearer);
    expectStatus(await world.asAdmin('DELETE', `/api/collections/${target.id}/credentials/it`), 204);
    const count = world.api.requests.length;
    const { reply } = await world.callByRest(target);
    expect(errorOf(reply)).toEqual([
      424,
      'No credential for this call: it: none is stored for you: an administrator of this catalog can store one',
    ]);
    expect(String((await world.callByMcp(target)).result['detail'])).toContain('No credential for this call');
    expect(world.api.requests.length).toBe(count);
  });

  test('a call to a new address is a 409 until an administrator confirms it', async () => {
    const target = await world.create(bearer);
    const base_url = world.api.url.replace('127.0.0.1', '127.0.0.2');
    expectStatus(await world.asAdmin('PUT', `/api/collections/${target.id}`, { base_url }), 200);
    const count = world.api.requests.length;
    const { reply } = await world.callByRest(target);
    expect([reply.status, reply.text]).toEqual([409, expect.stringContaining('The address of the API has changed: ')]);
    expect(world.api.requests.length).toBe(count);
  });

  test.each(['closes the connection', 'sends no HTTP', 'sends half of a body'])(
    'an API that %s is a 502 with a reason',
    async (way) => {
      const target = await world.create(bearer);
      world.api.respond = (socket, { headers }) => {
        const secret = headers['authorization']?.[0] ?? '';
        if (way === 'closes the connection') socket.destroy();
        else if (way === 'sends no HTTP') socket.end(`SSH-2.0 ${secret}\r\n\r\n`);
        else socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n${secret}`);
      };
      for (const [, send] of world.ways) {
        const { reply, result } = await send(target);
        expect(String(result['detail'])).toMatch(/^The API is unreachable: \S/);
        expect(reply.text).not.toContain(accessToken);
      }
      await world.expectUnrecorded(target, bearer.secrets);
    },
  );

  test('an API that does not respond is a 504 after timeout_ms', async () => {
    const target = await world.create(bearer);
    world.api.respond = () => undefined;
    const { reply } = await world.callByRest(target, { id: '7' }, { timeout_ms: 100 });
    expect([reply.status, reply.text]).toEqual([504, expect.stringContaining('The API did not respond in time')]);
  });

  describe('an OAuth client', () => {
    /** Issues numbered tokens, and accepts those that `isAccepted` says. */
    const serve = (isAccepted: (request: ReceivedRequest) => boolean, expires_in = 3_600, acceptsBasic = true) => {
      let issuedCount = 0;
      const tokenRequests: ReceivedRequest[] = [];
      world.api.respond = (socket, request) => {
        if (request.url !== '/token') {
          socket.end(respondWith('', [], isAccepted(request) ? '200 OK' : '401 Unauthorized'));
          return;
        }
        tokenRequests.push(request);
        if (!acceptsBasic && request.headers['authorization']) {
          socket.end(respondWith('{"error":"invalid_client"}', [], '401 Unauthorized'));
          return;
        }
        issuedCount += 1;
        const body = JSON.stringify({ access_token: `issued-token-${issuedCount}`, expires_in });
        void setTimeout(20).then(() => socket.end(respondWith(body)));
      };
      return tokenRequests;
    };

    test('sends its secret in the header, and in the body only to a server that takes it there', async () => {
      const target = await world.create(oauth);
      const tokenRequests = serve(() => true, 3_600, false);
      expect((await world.callByRest(target)).result['status']).toBe(200);
      expect(tokenRequests.map(({ headers, body }) => [headers['authorization']?.[0]?.slice(0, 6), body])).toEqual([
        ['Basic ', 'grant_type=client_credentials'],
        [undefined, 'grant_type=client_credentials&client_id=portico&client_secret=cl1ent+s3cret+%26+more'],
      ]);
    });

    test('gets one token for calls at the same time, and uses it for later ones', async () => {
      const target = await world.create(oauth);
      const tokenRequests = serve(() => true);
      const outcomes = await Promise.all([1, 2, 3].map(() => world.callByRest(target)));
      await world.callByMcp(target);
      expect(outcomes.map(({ result }) => result['status'])).toEqual([200, 200, 200]);
      expect(tokenRequests).toHaveLength(1);
    });

    test('gets a fresh token once after a 401', async () => {
      const target = await world.create(oauth);
      const accepted = new Set(['Bearer issued-token-1']);
      const tokenRequests = serve(({ headers }) => accepted.has(headers['authorization']?.[0] ?? ''));
      expect((await world.callByRest(target)).result['status']).toBe(200);
      accepted.clear();
      accepted.add('Bearer issued-token-2');
      expect((await world.callByRest(target)).result['status']).toBe(200);
      accepted.clear();
      const count = world.api.requests.length;
      expect((await world.callByRest(target)).result['status']).toBe(401);
      expect(world.api.requests.length).toBe(count + 3);
      expect(tokenRequests).toHaveLength(3);
    });

    test('gets a new token 30 s before its end', async () => {
      const { clock } = world.subject;
      const target = await world.create(oauth);
      const tokenRequests = serve(() => true, clock ? 60 : 30);
      await world.callByRest(target);
      clock?.advance(29_999);
      if (clock) {
        await world.callByRest(target);
        expect(tokenRequests).toHaveLength(1);
        clock.advance(1);
      }
      await world.callByRest(target);
      expect(tokenRequests).toHaveLength(2);
    });

    test('sends its secret to no other token address', async () => {
      const target = await world.create(oauth);
      const otherUrl = `${world.api.url.replace('127.0.0.1', '127.0.0.3')}/token`;
      const document = (await world.asAdmin('GET', `/api/collections/${target.id}/openapi.json`)).text;
      const openapi_spec = JSON.parse(document.replace(`${world.api.url}/token`, otherUrl)) as object;
      expectStatus(await world.asAdmin('PUT', `/api/collections/${target.id}`, { openapi_spec }), 200);
      const count = world.api.requests.length;
      expect((await world.callByRest(target)).reply.status).toBe(409);
      expect(world.api.requests.length).toBe(count);
    });

    test('reflects nothing of a failed request for a token', async () => {
      const target = await world.create(oauth);
      const secret = oauth.secrets[1] ?? '';
      world.api.respond = (socket) =>
        socket.end(respondWith(JSON.stringify({ error: secret, error_description: secret }), [], `400 ${secret}`));
      for (const [, send] of world.ways) {
        const { reply, result } = await send(target);
        expect(String(result['detail'])).toMatch(/^The API is unreachable: its authorization server/);
        expect(reply.text).not.toContain(secret);
      }
      await world.expectUnrecorded(target, oauth.secrets);
    });
  });
};
