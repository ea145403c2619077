import { describe, expect, test } from 'vitest';
import { expectError, errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, type Client, type Start } from '../subject.ts';

const lastDay = '2999-12-31';
const endOfLastDay = '3000-01-01T00:00:00.000Z';

/** Tests grants and keys that expire. */
export const expirySuite = (start: Start): void => {
  const { subject, fixtures, call, asAdmin } = provideSubject(start);
  const grantPathOf = ({ id }: Client, collection: string) => `/api/access/clients/${id}/collections/${collection}`;
  const isoIn = (milliseconds: number) => new Date((subject.clock?.now() ?? Date.now()) + milliseconds).toISOString();

  describe('a grant', () => {
    test('has the requested expiry; a date without a time is the last day', async () => {
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      const createdReply = await asAdmin('POST', grantPathOf(client, collection), { expires_at: lastDay });
      expect([createdReply.status, createdReply.body.expires_at]).toEqual([201, endOfLastDay]);
      const listReply = await asAdmin('GET', `/api/access/clients/${client.id}/collections?granted=true`);
      expect(listReply.list).toMatchObject([{ id: collection, expires_at: endOfLastDay }]);
    });

    test('can be changed to a different expiry or to no expiry', async () => {
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      const { granted_at } = (await fixtures.grant(client, collection)).body;
      const changedReply = await asAdmin('PUT', grantPathOf(client, collection), {
        expires_at: '2999-12-31T12:00:00+01:00',
      });
      expect(changedReply.body).toEqual({
        message: 'Access changed',
        client_id: client.id,
        collection_id: collection,
        granted_at,
        expires_at: '2999-12-31T11:00:00.000Z',
        operations: 'all',
        except: [],
        ask: [],
      });
      expect((await asAdmin('PUT', grantPathOf(client, collection), { expires_at: null })).body.expires_at).toBeNull();
      const otherCollection = await fixtures.newCollection();
      expectError(
        await asAdmin('PUT', grantPathOf(client, otherCollection), { expires_at: null }),
        404,
        'Grant not found',
      );
    });

    test.each(['soon', '2026-02-30', '10000-01-01', 7])('cannot expire %j', async (expires_at) => {
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      for (const method of ['POST', 'PUT']) {
        expect(errorOf(await asAdmin(method, grantPathOf(client, collection), { expires_at }))).toEqual([
          400,
          expect.stringMatching(/^Invalid request body: expires_at must be /),
        ]);
      }
    });

    test('cannot expire in the past', async () => {
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      expect(errorOf(await asAdmin('POST', grantPathOf(client, collection), { expires_at: isoIn(-1) }))).toEqual([
        400,
        expect.stringMatching(/^Invalid request body: expires_at must be in the future; it is now \d{4}-/),
      ]);
    });

    test('is effective everywhere until its expiry, and nowhere after it', async () => {
      const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
      await asAdmin('POST', grantPathOf(client, collection), { expires_at: isoIn(subject.clock ? 60_000 : 1_500) });
      expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(200);
      subject.clock?.advance(60_000);
      const readStatus = async () => (await call('GET', `/api/collections/${collection}`, { key: client.key })).status;
      await expect.poll(readStatus).toBe(403);
      expect((await call('GET', '/api/collections/', { token: client.token })).list).toEqual([]);
      expect((await asAdmin('GET', `/api/access/collections/${collection}/clients`)).list).toEqual([]);
      expect((await asAdmin('DELETE', grantPathOf(client, collection))).status).toBe(404);
      expect((await fixtures.grant(client, collection)).status).toBe(201);
      expect((await call('GET', `/api/collections/${collection}`, { key: client.key })).status).toBe(200);
    });

    test('expires at the exact millisecond for every kind of read, even if the response was cached just before', async () => {
      const { clock } = subject;
      if (!clock) return;
      const client = await fixtures.newClient();
      const document = {
        openapi: '3.0.3',
        info: { title: 'Tides', version: '1' },
        servers: [{ url: 'https://tides.example.com' }],
        paths: { '/tides': { get: { summary: 'Read the tides', responses: { 200: { description: 'It' } } } } },
      };
      const collection = await fixtures.newCollection({ name: 'Tides', openapi_spec: document });
      await subject.runJobs();
      await asAdmin('POST', grantPathOf(client, collection), { expires_at: isoIn(60_000) });
      const { key, token } = client;
      const callTool = async (name: string, args: object) => {
        const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
        const headers = ['MCP-Protocol-Version', '2025-11-25'];
        return (await call('POST', '/mcp', { key, json, headers })).text;
      };
      const etagOf = async (path: string) => textOf((await call('GET', path, { token })).headers.etag);
      const [listEtag, etag] = [await etagOf('/api/collections/'), await etagOf(`/api/collections/${collection}`)];
      const search = { key, json: { query: 'read the tides' } };
      const readVisibleParts = async () => {
        const ifNoneMatch = (tag: string) => ({ token, headers: ['If-None-Match', tag] });
        const [listReply, collectionReply] = [
          await call('GET', '/api/collections/', ifNoneMatch(listEtag)),
          await call('GET', `/api/collections/${collection}`, ifNoneMatch(etag)),
        ];
        return {
          list: listReply.status,
          page: (await call('GET', '/api/collections/?limit=5', { token })).list.length,
          collectionByToken: collectionReply.status,
          collectionByKey: (await call('GET', `/api/collections/${collection}`, { key })).status,
          metadata: (await call('GET', `/api/collections/${collection}/metadata`, { key })).status,
          operations: (await call('GET', `/api/collections/${collection}/operations`, { key })).status,
          search: (await call('POST', '/api/vector/search', search)).text.includes(collection),
          operationSearch: (await call('POST', '/api/operations/search', search)).text.includes(collection),
          apis: (await callTool('list_apis', {})).includes('Tides'),
          operationsOfAgents: (await callTool('search_operations', { query: 'read the tides' })).includes('/tides'),
        };
      };
      const allVisible = {
        ...{ list: 304, page: 1, collectionByToken: 304, collectionByKey: 200, metadata: 200, operations: 200 },
        ...{ search: true, operationSearch: true, apis: true, operationsOfAgents: true },
      };
      expect(await readVisibleParts()).toEqual(allVisible);
      clock.advance(59_999);
      expect(await readVisibleParts()).toEqual(allVisible);
      clock.advance(1);
      expect(await readVisibleParts()).toEqual({
        ...{ list: 200, page: 0, collectionByToken: 403, collectionByKey: 403, metadata: 403, operations: 403 },
        ...{ search: false, operationSearch: false, apis: false, operationsOfAgents: false },
      });
    });
  });

  describe('the expiry', () => {
    const preciseTime = '2999-12-31T09:30:00.0009+02:00';
    const operations: Readonly<Record<string, (expires_at: string) => ReturnType<typeof asAdmin>>> = {
      'of a grant': async (expires_at) =>
        asAdmin('POST', grantPathOf(await fixtures.newClient(), await fixtures.newCollection()), { expires_at }),
      'of a changed grant': async (expires_at) => {
        const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
        await fixtures.grant(client, collection);
        return asAdmin('PUT', grantPathOf(client, collection), { expires_at });
      },
      'of a bulk grant': async (expires_at) => {
        const [client, collection] = [await fixtures.newClient(), await fixtures.newCollection()];
        const batch = { profiles: [client.id], collections: [collection], expires_at };
        const reply = await asAdmin('POST', '/api/access/grants', batch);
        const [outcome = {}] = (reply.body.outcomes ?? []) as readonly (typeof reply.body)[];
        return { ...reply, body: { ...reply.body, ...outcome } };
      },
      'of a grant of a group': async (expires_at) => {
        const group = textOf((await asAdmin('POST', '/api/groups', { name: crypto.randomUUID() })).body.id);
        return asAdmin('POST', `/api/groups/${group}/collections/${await fixtures.newCollection()}`, { expires_at });
      },
      'of a changed grant of a group': async (expires_at) => {
        const group = textOf((await asAdmin('POST', '/api/groups', { name: crypto.randomUUID() })).body.id);
        const path = `/api/groups/${group}/collections/${await fixtures.newCollection()}`;
        await asAdmin('POST', path);
        return asAdmin('PUT', path, { expires_at });
      },
      'of an approved request': async (expires_at) => {
        const [{ key }, collection_id] = [
          await fixtures.newClient(),
          await fixtures.newCollection({ discoverable: true }),
        ];
        const json = { collection_id, reason: 'To send reminders' };
        const { id } = (await call('POST', '/api/access/requests', { key, json })).body;
        return asAdmin('POST', `/api/access/requests/${textOf(id)}/approve`, { expires_at });
      },
      'of a key': async (expires_at) => {
        const reply = await asAdmin('PUT', `/api/profiles/${(await fixtures.newClient()).id}/credentials`, {
          expires_at,
        });
        return { ...reply, body: { ...reply.body, expires_at: reply.body.key_expires_at } };
      },
      'of a service account': async (expires_at) => {
        const json = { name: crypto.randomUUID(), scopes: ['audit:read'], expires_at };
        return asAdmin('POST', '/api/service-accounts', json);
      },
    };

    test.each(Object.keys(operations))(
      '%s is the end of the day for a date without a time, in whole milliseconds, and in the future',
      async (operation) => {
        const bodyFor = async (expires_at: string) => (await operations[operation]?.(expires_at))?.body;
        expect((await bodyFor(lastDay))?.expires_at).toBe(endOfLastDay);
        expect((await bodyFor(preciseTime))?.expires_at).toBe('2999-12-31T07:30:00.000Z');
        expect((await bodyFor('2020-01-31'))?.detail).toMatch(
          /^Invalid request body: expires_at must be in the future; it is now \d{4}-\d\d-\d\dT\S+Z$/,
        );
      },
    );
  });

  describe('a key', () => {
    const readKeyStatus = async ({ key }: Client) =>
      (await call('GET', '/api/rate-limits/tiers/active/all', { key })).status;
    const credentialsPathOf = (id: string) => `/api/profiles/${id}/credentials`;

    test('expires at the time set by an administrator, with both secrets, while tokens remain valid', async () => {
      const client = await fixtures.newClient();
      const rotatedReply = await asAdmin('POST', credentialsPathOf(client.id), {
        grace_seconds: 600,
        expires_at: isoIn(subject.clock ? 60_000 : 1_500),
      });
      const rotatedClient = { ...client, key: { ...client.key, secret: textOf(rotatedReply.body.client_secret) } };
      expect([await readKeyStatus(client), await readKeyStatus(rotatedClient)]).toEqual([200, 200]);
      if (subject.clock) {
        subject.clock.advance(59_999);
        expect(await readKeyStatus(rotatedClient)).toBe(200);
        subject.clock.advance(1);
      } else await expect.poll(() => readKeyStatus(rotatedClient)).toBe(401);
      expect([await readKeyStatus(client), await readKeyStatus(rotatedClient)]).toEqual([401, 401]);
      expect((await call('GET', '/api/collections/', { token: client.token })).status).toBe(200);
      const extendedReply = await asAdmin('PUT', credentialsPathOf(client.id), { expires_at: null });
      expect([extendedReply.status, extendedReply.body.key_expires_at]).toEqual([200, null]);
      expect(await readKeyStatus(rotatedClient)).toBe(200);
    });

    test('keeps its expiry when its owner rotates it', async () => {
      const client = await fixtures.newClient();
      const changedReply = await asAdmin('PUT', credentialsPathOf(client.id), { expires_at: lastDay });
      expect(changedReply.body).toMatchObject({ id: client.id, key_expires_at: endOfLastDay });
      const ownRequest = { token: client.token, json: { expires_at: null } };
      expect((await call('POST', '/api/profiles/me/credentials', ownRequest)).status).toBe(200);
      const ownProfile = await call('GET', '/api/profiles/me?include=key', { token: client.token });
      expect(ownProfile.body.key_expires_at).toBe(endOfLastDay);
      await asAdmin('POST', credentialsPathOf(client.id), {});
      const list = async () =>
        (await asAdmin('GET', `/api/profiles/?include=key&q=${client.email}`)).list.map(
          (profile) => profile.key_expires_at,
        );
      expect(await list()).toEqual([endOfLastDay]);
      await asAdmin('POST', credentialsPathOf(client.id), { expires_at: null });
      expect(await list()).toEqual([null]);
    });

    test('that does not exist cannot have an expiry', async () => {
      const pendingPerson = await fixtures.register();
      expectError(
        await asAdmin('PUT', credentialsPathOf(pendingPerson.id), { expires_at: lastDay }),
        409,
        'User not approved',
      );
      await asAdmin('PUT', `/api/profiles/${pendingPerson.id}/role`, { role: 'admin' });
      await asAdmin('PUT', `/api/profiles/${pendingPerson.id}/role`, { role: 'client' });
      const rejection = await asAdmin('PUT', credentialsPathOf(pendingPerson.id), { expires_at: lastDay });
      expect([rejection.status, rejection.body]).toEqual([409, { detail: 'User has no API credentials yet' }]);
    });
  });
};
