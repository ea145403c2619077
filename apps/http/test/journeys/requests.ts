import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, textOf, unknownId, type Client, type Start } from '../subject.ts';

const path = '/api/access/requests';
const reason = 'To send reminders';
const dayMs = 86_400_000;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

/** Tests requesting access and deciding requests. */
export const requestsSuite = (start: Start): void => {
  const { subject, fixtures, call, pages, asAdmin: callAsAdmin } = provideSubject(start);
  const asAdmin = (method: string, query: string, json?: unknown) => callAsAdmin(method, `${path}${query}`, json);
  const newDiscoverable = (name?: string): Promise<string> =>
    fixtures.newCollection({ discoverable: true, ...(name ? { name } : {}) });
  const postRequest = ({ key }: Client, collection_id: string, fields: object = {}): Promise<Reply> =>
    call('POST', path, { key, json: { collection_id, reason, ...fields } });
  const createRequest = async (client: Client, collection: string, fields: object = {}): Promise<string> =>
    textOf(expectStatus(await postRequest(client, collection, fields), 201).body.id);
  const statusOf = async (id: string) => expectStatus(await asAdmin('GET', `/${id}`), 200).body.status;
  const canRead = async ({ key }: Client, collection: string): Promise<boolean> =>
    (await call('GET', `/api/collections/${collection}`, { key })).status === 200;
  const errorOf = ({ status, body }: Reply) => [status, body.detail];
  /** Waits so that later changes get later timestamps. */
  const waitBriefly = async (): Promise<void> => {
    if (subject.clock) subject.clock.advance(5);
    else await setTimeout(5);
  };

  describe('requesting access', () => {
    test('creates a pending request that the requester and administrators can see', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable('Weather')];
      const reply = expectStatus(await postRequest(ada, collection, { duration_days: 30 }), 201);
      const request = {
        id: expect.any(String) as string,
        status: 'pending',
        collection_id: collection,
        collection_name: 'Weather',
        profile_id: ada.id,
        profile_email: ada.email,
        profile_name: `Person ${ada.uid}`,
        reason,
        duration_days: 30,
        created_at: timestamp,
        decided_at: null,
        answer: null,
      };
      expect(reply.body).toEqual(request);
      const requestPath = `${path}/${textOf(reply.body.id)}`;
      for (const credential of [{ key: ada.key }, { token: ada.token }, { token: fixtures.admin }]) {
        expect((await call('GET', requestPath, credential)).body).toEqual(reply.body);
        expect((await call('GET', `${path}?profile_id=${ada.id}`, credential)).list).toEqual([reply.body]);
      }
      expect(await canRead(ada, collection)).toBe(false);
    });

    test('is possible for approved clients, for collections visible to them', async () => {
      const [ada, hidden, granted] = [
        await fixtures.newClient(),
        await fixtures.newCollection(),
        await fixtures.newCollection(),
      ];
      const collection = await newDiscoverable();
      await fixtures.grant(ada, granted);
      const json = { collection_id: collection, reason };
      const errorFor = async (options: CallOptions) => errorOf(await call('POST', path, { json, ...options }));
      expect(await errorFor({ token: (await fixtures.register()).token })).toEqual([403, 'Approval required']);
      expect(await errorFor({ token: fixtures.admin })).toEqual([409, 'User is an admin and needs no grant']);
      for (const id of [hidden, unknownId])
        expect(errorOf(await postRequest(ada, id))).toEqual([404, 'Collection not found']);
      expect(errorOf(await postRequest(ada, granted))).toEqual([409, 'Client already has access']);
    });

    test('is rejected while an earlier request is pending', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const id = await createRequest(ada, collection);
      expect(errorOf(await postRequest(ada, collection))).toEqual([409, 'Access already requested']);
      await createRequest(await fixtures.newClient(), collection);
      expectStatus(await asAdmin('POST', `/${id}/deny`), 200);
      expect(await createRequest(ada, collection)).not.toBe(id);
    });

    test('several times concurrently creates only one request', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const replies = await Promise.all(Array.from({ length: 8 }, () => postRequest(ada, collection)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    });

    test('accepts reasons and durations up to their limits', async () => {
      const ada = await fixtures.newClient();
      for (const fields of [
        { reason: '😀'.repeat(1_000), duration_days: 1 },
        { reason: '.', duration_days: 3_650 },
        { duration_days: null },
      ])
        expect(await postRequest(ada, await newDiscoverable(), fields)).toMatchObject({ status: 201, body: fields });
      for (const fields of [
        { reason: '😀'.repeat(1_001) },
        { reason: ' \n' },
        { reason: undefined },
        { duration_days: 0 },
        { duration_days: 3_651 },
        { duration_days: 1.5 },
      ])
        expect([fields, (await postRequest(ada, unknownId, fields)).status]).toEqual([fields, 400]);
    });

    test('stores the reason and returns it unchanged', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable('<img src=x>')];
      const hostileText = `<script>alert("1")</script>\n'; drop table access_requests; -- =1+1 \u202e ${'{{7*7}}'}`;
      const id = await createRequest(ada, collection, { reason: hostileText });
      expectStatus(await asAdmin('POST', `/${id}/deny`, { reason: hostileText }), 200);
      const reply = await call('GET', `${path}/${id}`, { key: ada.key });
      expect(reply.body).toMatchObject({ reason: hostileText, answer: hostileText, collection_name: '<img src=x>' });
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    });

    test('is rejected while 100 requests are pending', async () => {
      const ada = await fixtures.newClient();
      const collections = await Promise.all(Array.from({ length: 101 }, () => newDiscoverable()));
      const [lastCollection = '', ...otherCollections] = collections;
      for (const collection of otherCollections) await createRequest(ada, collection);
      expect(errorOf(await postRequest(ada, lastCollection))).toEqual([
        409,
        'Too many pending requests: at most 100 requests can be pending; withdraw one, or try again when some are decided',
      ]);
      const [oldestRequest] = (await call('GET', `${path}?limit=1`, { key: ada.key })).list;
      await call('DELETE', `${path}/${textOf(oldestRequest?.id)}`, { key: ada.key });
      expect((await postRequest(ada, lastCollection)).status).toBe(201);
    });
  });

  describe('approving', () => {
    test('grants the collection immediately, and the response reports it', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const id = await createRequest(ada, collection);
      const { body } = expectStatus(await asAdmin('POST', `/${id}/approve`), 200);
      expect(body).toMatchObject({ id, status: 'approved', decided_at: timestamp, expires_at: null, answer: null });
      expect(body.granted_at).toBe(body.decided_at);
      expect(await canRead(ada, collection)).toBe(true);
      expect(await statusOf(id)).toBe('approved');
      expect((await fixtures.grant(ada, collection)).status).toBe(409);
    });

    test('grants access for the requested number of days, until an expiry set by the administrator, or without an expiry', async () => {
      const grantedMsOf = async (fields: object, json?: object) => {
        const id = await createRequest(await fixtures.newClient(), await newDiscoverable(), fields);
        const { granted_at, expires_at } = expectStatus(await asAdmin('POST', `/${id}/approve`, json), 200).body;
        return expires_at === null ? null : Date.parse(textOf(expires_at)) - Date.parse(textOf(granted_at));
      };
      expect(await grantedMsOf({ duration_days: 30 })).toBe(30 * dayMs);
      expect(await grantedMsOf({ duration_days: 30 }, {})).toBe(30 * dayMs);
      expect(await grantedMsOf({ duration_days: 30 }, { expires_at: '' })).toBe(30 * dayMs);
      expect(await grantedMsOf({ duration_days: 30 }, { expires_at: null })).toBeNull();
      expect(await grantedMsOf({})).toBeNull();
      const id = await createRequest(await fixtures.newClient(), await newDiscoverable(), { duration_days: 30 });
      const reply = await asAdmin('POST', `/${id}/approve`, { expires_at: '2099-01-31T09:30:00.0009+02:00' });
      expect(reply.body.expires_at).toBe('2099-01-31T07:30:00.000Z');
    });

    test('with an expiry in the past is rejected, and the request is still pending', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const id = await createRequest(ada, collection);
      const reply = await asAdmin('POST', `/${id}/approve`, { expires_at: '2001-01-31T09:30:00Z' });
      expect(errorOf(reply)).toEqual([
        400,
        expect.stringMatching(/^Invalid request body: expires_at must be in the future; it is now \d{4}-.*$/),
      ]);
      expect([await statusOf(id), await canRead(ada, collection)]).toEqual(['pending', false]);
    });

    test('and denying concurrently results in only one decision', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const id = await createRequest(ada, collection);
      const replies = await Promise.all(
        Array.from({ length: 9 }, (_, index) => asAdmin('POST', `/${id}/${index % 3 === 2 ? 'deny' : 'approve'}`)),
      );
      const successes = replies.filter(({ status }) => status === 200);
      const status = textOf(successes[0]?.body.status);
      expect([successes.length, await statusOf(id), await canRead(ada, collection)]).toEqual([
        1,
        status,
        status === 'approved',
      ]);
      for (const reply of replies.filter((candidate) => candidate !== successes[0]))
        expect(errorOf(reply)).toEqual([409, `Request already decided: ${status}`]);
    });

    test('is possible after the collection is no longer discoverable', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable('Once seen')];
      const id = await createRequest(ada, collection);
      await call('PUT', `/api/collections/${collection}`, {
        token: fixtures.admin,
        json: { discoverable: false, name: 'Renamed in secret' },
      });
      const readOwnRequest = async () => (await call('GET', `${path}/${id}`, { key: ada.key })).body;
      expect(await readOwnRequest()).toMatchObject({ status: 'pending', collection_name: null });
      expect((await call('GET', path, { key: ada.key })).list).toMatchObject([{ id, collection_name: null }]);
      expect((await asAdmin('GET', `/${id}`)).body.collection_name).toBe('Renamed in secret');
      expect((await asAdmin('POST', `/${id}/approve`)).status).toBe(200);
      expect(await readOwnRequest()).toMatchObject({ status: 'approved', collection_name: 'Renamed in secret' });
    });

    test('is a 404 if the collection or the requester was deleted, because that also deletes the request', async () => {
      const [ada, collection, otherCollection] = [
        await fixtures.newClient(),
        await newDiscoverable(),
        await newDiscoverable(),
      ];
      const [firstRequest, secondRequest] = [
        await createRequest(ada, collection),
        await createRequest(ada, otherCollection),
      ];
      await call('DELETE', `/api/collections/${collection}`, { token: fixtures.admin });
      expect(errorOf(await asAdmin('POST', `/${firstRequest}/approve`))).toEqual([404, 'Request not found']);
      await call('DELETE', `/api/profiles/${ada.id}`, { token: fixtures.admin });
      expect(errorOf(await asAdmin('POST', `/${secondRequest}/approve`))).toEqual([404, 'Request not found']);
    });

    test('is rejected while the requester is an administrator, who can still withdraw the request, and possible after demotion', async () => {
      const [ada, collection, otherCollection] = [
        await fixtures.newClient(),
        await newDiscoverable(),
        await newDiscoverable(),
      ];
      const [firstRequest, secondRequest] = [
        await createRequest(ada, collection),
        await createRequest(ada, otherCollection),
      ];
      await call('GET', '/api/profiles/me', { token: ada.token });
      const setRole = (role: string) =>
        call('PUT', `/api/profiles/${ada.id}/role`, { token: fixtures.admin, json: { role } });
      expectStatus(await setRole('admin'), 200);
      expect(errorOf(await asAdmin('POST', `/${firstRequest}/approve`))).toEqual([404, 'Client not found']);
      expect((await call('DELETE', `${path}/${secondRequest}`, { token: ada.token })).status).toBe(200);
      expectStatus(await setRole('client'), 200);
      expect((await asAdmin('POST', `/${firstRequest}/approve`)).status).toBe(200);
    });
  });

  describe('a decided request', () => {
    const decisions = {
      approved: (id: string) => asAdmin('POST', `/${id}/approve`),
      denied: (id: string) => asAdmin('POST', `/${id}/deny`, { reason: 'Use the shared account' }),
      withdrawn: (id: string, { key }: Client) => call('DELETE', `${path}/${id}`, { key }),
      granted: (_id: string, client: Client, collection: string) => fixtures.grant(client, collection),
    } as const;

    test.each(Object.keys(decisions) as (keyof typeof decisions)[])('that is %s does not change', async (status) => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
      const id = await createRequest(ada, collection);
      const reply = await decisions[status](id, ada, collection);
      expect(reply.status).toBeLessThan(300);
      const requestBefore = (await call('GET', `${path}/${id}`, { key: ada.key })).body;
      const answer = status === 'denied' ? 'Use the shared account' : null;
      expect(requestBefore).toMatchObject({ status, decided_at: timestamp, answer });
      const isGranted = status === 'approved' || status === 'granted';
      expect(await canRead(ada, collection)).toBe(isGranted);
      for (const decideAgain of [decisions.approved, decisions.denied, decisions.withdrawn])
        expect(errorOf(await decideAgain(id, ada))).toEqual([409, `Request already decided: ${status}`]);
      expect((await call('GET', `${path}/${id}`, { key: ada.key })).body).toEqual(requestBefore);
      expect((await postRequest(ada, collection)).status).toBe(isGranted ? 409 : 201);
    });

    test('has audit entries that contain names', async () => {
      const [ada, collection] = [await fixtures.newClient(), await newDiscoverable('Audited')];
      const deniedId = await createRequest(ada, collection);
      await decisions.denied(deniedId);
      const withdrawnId = await createRequest(ada, collection);
      await decisions.withdrawn(withdrawnId, ada);
      const approvedId = await createRequest(ada, collection, { duration_days: 7 });
      await decisions.approved(approvedId);
      const query = `?source=system&collection_id=${collection}`;
      const { body } = await call('GET', `/api/audit/${query}`, { token: fixtures.admin });
      const entries = (body.data as { message: Record<string, unknown> }[]).map(({ message }) => message);
      const entryOf = (request_id: string, action: string) =>
        entries.find((entry) => entry.request_id === request_id && entry.action === action);
      const names = { profile_id: ada.id, profile: ada.email, collection: 'Audited' };
      const admin = { ...names, actor: 'admin@example.com' };
      expect(entryOf(approvedId, 'access.request')).toMatchObject({ ...names, actor: ada.email, duration_days: 7 });
      expect(entryOf(approvedId, 'access.request.approve')).toMatchObject({ ...admin, expires_at: timestamp });
      expect(entryOf(deniedId, 'access.request.deny')).toMatchObject(admin);
      expect(entryOf(withdrawnId, 'access.request.withdraw')).toMatchObject({ ...names, actor: ada.email });
      expect(JSON.stringify(entries)).not.toContain(reason);
    });
  });

  describe('a list', () => {
    test("contains only the caller's own requests, with any filter", async () => {
      const [ada, bob, collection] = [await fixtures.newClient(), await fixtures.newClient(), await newDiscoverable()];
      const [adaRequest, bobRequest] = [await createRequest(ada, collection), await createRequest(bob, collection)];
      const listIds = async (query: string, credential: CallOptions) =>
        (await call('GET', `${path}${query}`, credential)).list.map(({ id }) => id);
      expect(await listIds('', { key: ada.key })).toEqual([adaRequest]);
      expect(await listIds(`?collection_id=${collection}`, { token: bob.token })).toEqual([bobRequest]);
      expect((await listIds(`?collection_id=${collection}`, { token: fixtures.admin })).sort()).toEqual(
        [adaRequest, bobRequest].sort(),
      );
      const foreignReply = await call('GET', `${path}?profile_id=${bob.id}`, { key: ada.key });
      expect(errorOf(foreignReply)).toEqual([403, 'Admin access required']);
      for (const method of ['GET', 'DELETE'])
        expect(errorOf(await call(method, `${path}/${bobRequest}`, { key: ada.key }))).toEqual([
          404,
          'Request not found',
        ]);
      expect(errorOf(await asAdmin('DELETE', `/${bobRequest}`))).toEqual([404, 'Request not found']);
      expect(await statusOf(bobRequest)).toBe('pending');
      expect(errorOf(await asAdmin('POST', `/${unknownId}/deny`))).toEqual([404, 'Request not found']);
    });

    test('has pending requests oldest first and other requests newest first, and filters apply to each page', async () => {
      const ada = await fixtures.newClient();
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        ids.push(await createRequest(ada, await newDiscoverable()));
        await waitBriefly();
      }
      const pagesOf = async (query: string, credential: CallOptions) => {
        const replies = await pages(`${path}${query}`, credential);
        for (const { list } of replies) expect(list.length).toBeLessThanOrEqual(2);
        return replies.flatMap(({ list }) => list.map(({ id }) => id));
      };
      const ownCredential = { key: ada.key };
      expect(await pagesOf('?status=pending&limit=2', ownCredential)).toEqual(ids);
      expect(await pagesOf('?limit=2', ownCredential)).toEqual(ids.toReversed());
      await asAdmin('POST', `/${ids[1] ?? ''}/deny`);
      const [firstId, secondId, ...rest] = ids;
      const firstPath = `?limit=2&profile_id=${ada.id}`;
      expect(await pagesOf(`${firstPath}&status=pending`, { token: fixtures.admin })).toEqual([firstId, ...rest]);
      expect(await pagesOf(`${firstPath}&status=denied`, { token: fixtures.admin })).toEqual([secondId]);
      expect(await pagesOf(firstPath, { token: fixtures.admin })).toEqual(ids.toReversed());
    });
  });

  // This test comes last, because tokens have expired once it is done.
  test('access that was approved expires on time and can then be requested again', async () => {
    const [ada, collection] = [await fixtures.newClient(), await newDiscoverable()];
    const id = await createRequest(ada, collection, { duration_days: 1 });
    const durationMs = subject.clock ? dayMs : 2_000;
    const expiry = subject.clock ? {} : { expires_at: new Date(Date.now() + durationMs).toISOString() };
    expectStatus(await asAdmin('POST', `/${id}/approve`, expiry), 200);
    subject.clock?.advance(durationMs - 1);
    expect(await canRead(ada, collection)).toBe(true);
    if (subject.clock) subject.clock.advance(1);
    else await setTimeout(durationMs);
    expect(await canRead(ada, collection)).toBe(false);
    expect((await postRequest(ada, collection)).status).toBe(201);
  });
};
