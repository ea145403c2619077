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

/** Asking for access, and deciding about it. */
export const requestsSuite = (start: Start): void => {
  const { subject, cast, call, pages, asAdmin: administer } = provideSubject(start);
  const asAdmin = (method: string, query: string, json?: unknown) => administer(method, `${path}${query}`, json);
  const open = (name?: string): Promise<string> =>
    cast.newCollection({ discoverable: true, ...(name ? { name } : {}) });
  const ask = ({ key }: Client, collection_id: string, fields: object = {}): Promise<Reply> =>
    call('POST', path, { key, json: { collection_id, reason, ...fields } });
  const asked = async (client: Client, collection: string, fields: object = {}): Promise<string> =>
    textOf(expectStatus(await ask(client, collection, fields), 201).body.id);
  const statusOf = async (id: string) => expectStatus(await asAdmin('GET', `/${id}`), 200).body.status;
  const reads = async ({ key }: Client, collection: string): Promise<boolean> =>
    (await call('GET', `/api/collections/${collection}`, { key })).status === 200;
  const refused = ({ status, body }: Reply) => [status, body.detail];
  /** Makes what follows later than what went before. */
  const aMomentPasses = async (): Promise<void> => {
    if (subject.clock) subject.clock.advance(5);
    else await setTimeout(5);
  };

  describe('asking', () => {
    test('makes a pending request, which the asker and administrators see', async () => {
      const [ada, collection] = [await cast.newClient(), await open('Weather')];
      const reply = expectStatus(await ask(ada, collection, { duration_days: 30 }), 201);
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
      const one = `${path}/${textOf(reply.body.id)}`;
      for (const by of [{ key: ada.key }, { token: ada.token }, { token: cast.admin }]) {
        expect((await call('GET', one, by)).body).toEqual(reply.body);
        expect((await call('GET', `${path}?profile_id=${ada.id}`, by)).list).toEqual([reply.body]);
      }
      expect(await reads(ada, collection)).toBe(false);
    });

    test('is for approved clients, and for collections that they can see', async () => {
      const [ada, hidden, granted] = [await cast.newClient(), await cast.newCollection(), await cast.newCollection()];
      const collection = await open();
      await cast.grant(ada, granted);
      const json = { collection_id: collection, reason };
      const by = async (options: CallOptions) => refused(await call('POST', path, { json, ...options }));
      expect(await by({ token: (await cast.register()).token })).toEqual([403, 'Approval required']);
      expect(await by({ token: cast.admin })).toEqual([409, 'User is an admin and needs no grant']);
      for (const id of [hidden, unknownId]) expect(refused(await ask(ada, id))).toEqual([404, 'Collection not found']);
      expect(refused(await ask(ada, granted))).toEqual([409, 'Client already has access']);
    });

    test('again is refused as long as the request is pending', async () => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const id = await asked(ada, collection);
      expect(refused(await ask(ada, collection))).toEqual([409, 'Access already requested']);
      await asked(await cast.newClient(), collection);
      expectStatus(await asAdmin('POST', `/${id}/deny`), 200);
      expect(await asked(ada, collection)).not.toBe(id);
    });

    test('at once makes one request', async () => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const replies = await Promise.all(Array.from({ length: 8 }, () => ask(ada, collection)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    });

    test('takes reasons and durations up to their limits', async () => {
      const ada = await cast.newClient();
      for (const fields of [
        { reason: '😀'.repeat(1_000), duration_days: 1 },
        { reason: '.', duration_days: 3_650 },
        { duration_days: null },
      ])
        expect(await ask(ada, await open(), fields)).toMatchObject({ status: 201, body: fields });
      for (const fields of [
        { reason: '😀'.repeat(1_001) },
        { reason: ' \n' },
        { reason: undefined },
        { duration_days: 0 },
        { duration_days: 3_651 },
        { duration_days: 1.5 },
      ])
        expect([fields, (await ask(ada, unknownId, fields)).status]).toEqual([fields, 400]);
    });

    test('keeps what was written as text', async () => {
      const [ada, collection] = [await cast.newClient(), await open('<img src=x>')];
      const odd = `<script>alert("1")</script>\n'; drop table access_requests; -- =1+1 \u202e ${'{{7*7}}'}`;
      const id = await asked(ada, collection, { reason: odd });
      expectStatus(await asAdmin('POST', `/${id}/deny`, { reason: odd }), 200);
      const reply = await call('GET', `${path}/${id}`, { key: ada.key });
      expect(reply.body).toMatchObject({ reason: odd, answer: odd, collection_name: '<img src=x>' });
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    });

    test('is refused while 100 requests wait', async () => {
      const ada = await cast.newClient();
      const collections = await Promise.all(Array.from({ length: 101 }, () => open()));
      const [last = '', ...first] = collections;
      for (const collection of first) await asked(ada, collection);
      expect(refused(await ask(ada, last))).toEqual([
        409,
        'Too many pending requests: at most 100 may wait; withdraw one, or ask again when some are decided',
      ]);
      const [one] = (await call('GET', `${path}?limit=1`, { key: ada.key })).list;
      await call('DELETE', `${path}/${textOf(one?.id)}`, { key: ada.key });
      expect((await ask(ada, last)).status).toBe(201);
    });
  });

  describe('approving', () => {
    test('grants the collection at once, and is told', async () => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const id = await asked(ada, collection);
      const { body } = expectStatus(await asAdmin('POST', `/${id}/approve`), 200);
      expect(body).toMatchObject({ id, status: 'approved', decided_at: timestamp, expires_at: null, answer: null });
      expect(body.granted_at).toBe(body.decided_at);
      expect(await reads(ada, collection)).toBe(true);
      expect(await statusOf(id)).toBe('approved');
      expect((await cast.grant(ada, collection)).status).toBe(409);
    });

    test('ends the access after the days that were asked for, when the administrator says, or never', async () => {
      const ends = async (fields: object, json?: object) => {
        const id = await asked(await cast.newClient(), await open(), fields);
        const { granted_at, expires_at } = expectStatus(await asAdmin('POST', `/${id}/approve`, json), 200).body;
        return expires_at === null ? null : Date.parse(textOf(expires_at)) - Date.parse(textOf(granted_at));
      };
      expect(await ends({ duration_days: 30 })).toBe(30 * dayMs);
      expect(await ends({ duration_days: 30 }, {})).toBe(30 * dayMs);
      expect(await ends({ duration_days: 30 }, { expires_at: '' })).toBe(30 * dayMs);
      expect(await ends({ duration_days: 30 }, { expires_at: null })).toBeNull();
      expect(await ends({})).toBeNull();
      const id = await asked(await cast.newClient(), await open(), { duration_days: 30 });
      const reply = await asAdmin('POST', `/${id}/approve`, { expires_at: '2099-01-31T09:30:00.0009+02:00' });
      expect(reply.body.expires_at).toBe('2099-01-31T07:30:00.000Z');
    });

    test('with an end that has passed is refused, and decides nothing', async () => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const id = await asked(ada, collection);
      const reply = await asAdmin('POST', `/${id}/approve`, { expires_at: '2001-01-31T09:30:00Z' });
      expect(refused(reply)).toEqual([
        400,
        expect.stringMatching(/^Invalid request body: expires_at must be in the future, it is \d{4}-.* now$/),
      ]);
      expect([await statusOf(id), await reads(ada, collection)]).toEqual(['pending', false]);
    });

    test('at once, with denials, decides once', async () => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const id = await asked(ada, collection);
      const replies = await Promise.all(
        Array.from({ length: 9 }, (_, at) => asAdmin('POST', `/${id}/${at % 3 === 2 ? 'deny' : 'approve'}`)),
      );
      const won = replies.filter(({ status }) => status === 200);
      const status = textOf(won[0]?.body.status);
      expect([won.length, await statusOf(id), await reads(ada, collection)]).toEqual([
        1,
        status,
        status === 'approved',
      ]);
      for (const reply of replies.filter((one) => one !== won[0]))
        expect(refused(reply)).toEqual([409, `Request already decided: ${status}`]);
    });

    test('is possible after the collection stopped being discoverable', async () => {
      const [ada, collection] = [await cast.newClient(), await open('Once seen')];
      const id = await asked(ada, collection);
      await call('PUT', `/api/collections/${collection}`, {
        token: cast.admin,
        json: { discoverable: false, name: 'Renamed in secret' },
      });
      const own = async () => (await call('GET', `${path}/${id}`, { key: ada.key })).body;
      expect(await own()).toMatchObject({ status: 'pending', collection_name: null });
      expect((await call('GET', path, { key: ada.key })).list).toMatchObject([{ id, collection_name: null }]);
      expect((await asAdmin('GET', `/${id}`)).body.collection_name).toBe('Renamed in secret');
      expect((await asAdmin('POST', `/${id}/approve`)).status).toBe(200);
      expect(await own()).toMatchObject({ status: 'approved', collection_name: 'Renamed in secret' });
    });

    test('is a 404 once the collection or the asker is gone, with which the request goes', async () => {
      const [ada, collection, other] = [await cast.newClient(), await open(), await open()];
      const [first, second] = [await asked(ada, collection), await asked(ada, other)];
      await call('DELETE', `/api/collections/${collection}`, { token: cast.admin });
      expect(refused(await asAdmin('POST', `/${first}/approve`))).toEqual([404, 'Request not found']);
      await call('DELETE', `/api/profiles/${ada.id}`, { token: cast.admin });
      expect(refused(await asAdmin('POST', `/${second}/approve`))).toEqual([404, 'Request not found']);
    });

    test('an asker who is an administrator by now is refused; it can withdraw, and is a client again later', async () => {
      const [ada, collection, other] = [await cast.newClient(), await open(), await open()];
      const [first, second] = [await asked(ada, collection), await asked(ada, other)];
      await call('GET', '/api/profiles/me', { token: ada.token });
      const become = (role: string) =>
        call('PUT', `/api/profiles/${ada.id}/role`, { token: cast.admin, json: { role } });
      expectStatus(await become('admin'), 200);
      expect(refused(await asAdmin('POST', `/${first}/approve`))).toEqual([404, 'Client not found']);
      expect((await call('DELETE', `${path}/${second}`, { token: ada.token })).status).toBe(200);
      expectStatus(await become('client'), 200);
      expect((await asAdmin('POST', `/${first}/approve`)).status).toBe(200);
    });
  });

  describe('a decided request', () => {
    const decisions = {
      approved: (id: string) => asAdmin('POST', `/${id}/approve`),
      denied: (id: string) => asAdmin('POST', `/${id}/deny`, { reason: 'Use the shared account' }),
      withdrawn: (id: string, { key }: Client) => call('DELETE', `${path}/${id}`, { key }),
      granted: (_id: string, client: Client, collection: string) => cast.grant(client, collection),
    } as const;

    test.each(Object.keys(decisions) as (keyof typeof decisions)[])('that is %s stays so', async (status) => {
      const [ada, collection] = [await cast.newClient(), await open()];
      const id = await asked(ada, collection);
      const reply = await decisions[status](id, ada, collection);
      expect(reply.status).toBeLessThan(300);
      const before = (await call('GET', `${path}/${id}`, { key: ada.key })).body;
      const answer = status === 'denied' ? 'Use the shared account' : null;
      expect(before).toMatchObject({ status, decided_at: timestamp, answer });
      const isGranted = status === 'approved' || status === 'granted';
      expect(await reads(ada, collection)).toBe(isGranted);
      for (const again of [decisions.approved, decisions.denied, decisions.withdrawn])
        expect(refused(await again(id, ada))).toEqual([409, `Request already decided: ${status}`]);
      expect((await call('GET', `${path}/${id}`, { key: ada.key })).body).toEqual(before);
      expect((await ask(ada, collection)).status).toBe(isGranted ? 409 : 201);
    });

    test('leaves entries with names in the audit log', async () => {
      const [ada, collection] = [await cast.newClient(), await open('Audited')];
      const denied = await asked(ada, collection);
      await decisions.denied(denied);
      const withdrawn = await asked(ada, collection);
      await decisions.withdrawn(withdrawn, ada);
      const approved = await asked(ada, collection, { duration_days: 7 });
      await decisions.approved(approved);
      const query = `?source=system&collection_id=${collection}`;
      const { body } = await call('GET', `/api/audit/${query}`, { token: cast.admin });
      const entries = (body.data as { message: Record<string, unknown> }[]).map(({ message }) => message);
      const of = (request_id: string, action: string) =>
        entries.find((entry) => entry.request_id === request_id && entry.action === action);
      const names = { profile_id: ada.id, profile: ada.email, collection: 'Audited' };
      const admin = { ...names, actor: 'admin@example.com' };
      expect(of(approved, 'access.request')).toMatchObject({ ...names, actor: ada.email, duration_days: 7 });
      expect(of(approved, 'access.request.approve')).toMatchObject({ ...admin, expires_at: timestamp });
      expect(of(denied, 'access.request.deny')).toMatchObject(admin);
      expect(of(withdrawn, 'access.request.withdraw')).toMatchObject({ ...names, actor: ada.email });
      expect(JSON.stringify(entries)).not.toContain(reason);
    });
  });

  describe('a list', () => {
    test("holds one's own requests alone, whatever is asked for", async () => {
      const [ada, bob, collection] = [await cast.newClient(), await cast.newClient(), await open()];
      const [ofAda, ofBob] = [await asked(ada, collection), await asked(bob, collection)];
      const ids = async (query: string, by: CallOptions) =>
        (await call('GET', `${path}${query}`, by)).list.map(({ id }) => id);
      expect(await ids('', { key: ada.key })).toEqual([ofAda]);
      expect(await ids(`?collection_id=${collection}`, { token: bob.token })).toEqual([ofBob]);
      expect((await ids(`?collection_id=${collection}`, { token: cast.admin })).sort()).toEqual([ofAda, ofBob].sort());
      const foreign = await call('GET', `${path}?profile_id=${bob.id}`, { key: ada.key });
      expect(refused(foreign)).toEqual([403, 'Admin access required']);
      for (const method of ['GET', 'DELETE'])
        expect(refused(await call(method, `${path}/${ofBob}`, { key: ada.key }))).toEqual([404, 'Request not found']);
      expect(refused(await asAdmin('DELETE', `/${ofBob}`))).toEqual([404, 'Request not found']);
      expect(await statusOf(ofBob)).toBe('pending');
      expect(refused(await asAdmin('POST', `/${unknownId}/deny`))).toEqual([404, 'Request not found']);
    });

    test('has the pending requests oldest first and others newest first, in pages that keep the filters', async () => {
      const ada = await cast.newClient();
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1) {
        ids.push(await asked(ada, await open()));
        await aMomentPasses();
      }
      const pagesOf = async (query: string, by: CallOptions) => {
        const found = await pages(`${path}${query}`, by);
        for (const { list } of found) expect(list.length).toBeLessThanOrEqual(2);
        return found.flatMap(({ list }) => list.map(({ id }) => id));
      };
      const own = { key: ada.key };
      expect(await pagesOf('?status=pending&limit=2', own)).toEqual(ids);
      expect(await pagesOf('?limit=2', own)).toEqual(ids.toReversed());
      await asAdmin('POST', `/${ids[1] ?? ''}/deny`);
      const [first, second, ...rest] = ids;
      const all = `?limit=2&profile_id=${ada.id}`;
      expect(await pagesOf(`${all}&status=pending`, { token: cast.admin })).toEqual([first, ...rest]);
      expect(await pagesOf(`${all}&status=denied`, { token: cast.admin })).toEqual([second]);
      expect(await pagesOf(all, { token: cast.admin })).toEqual(ids.toReversed());
    });
  });

  // The last: tokens have expired after it.
  test('an approved access ends when it was said to, and can be asked for again', async () => {
    const [ada, collection] = [await cast.newClient(), await open()];
    const id = await asked(ada, collection, { duration_days: 1 });
    const lastsMs = subject.clock ? dayMs : 2_000;
    const ends = subject.clock ? {} : { expires_at: new Date(Date.now() + lastsMs).toISOString() };
    expectStatus(await asAdmin('POST', `/${id}/approve`, ends), 200);
    subject.clock?.advance(lastsMs - 1);
    expect(await reads(ada, collection)).toBe(true);
    if (subject.clock) subject.clock.advance(1);
    else await setTimeout(lastsMs);
    expect(await reads(ada, collection)).toBe(false);
    expect((await ask(ada, collection)).status).toBe(201);
  });
};
