import { beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, refusalOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Client, type Start, type Subject } from '../subject.ts';

const none = { reads: 0, searches: 0, slices: 0, credential_reads: 0, refused: 0 };

/** Counting uses, and reading who used what. */
export const usageSuite = (start: Start): void => {
  const { subject, cast, call } = provideSubject(start);
  let ada: Client;
  let bob: Client;
  let weather: string;
  let roads: string;
  const usage = (query: string, caller: Parameters<Subject['client']['call']>[2] = { token: cast.admin }) =>
    call('GET', `/api/usage${query}`, caller);
  const of = async (query: string) => (await usage(query)).list;

  beforeAll(async () => {
    [ada, bob] = [await cast.newClient(), await cast.newClient()];
    const authentication = { type: 'bearer', value: 'the-credential' };
    [weather, roads] = [await cast.newCollection({ authentication }), await cast.newCollection({ name: '=Roads' })];
    for (const collection of [weather, roads]) await cast.grant(ada, collection);
    await cast.grant(bob, roads);
    await subject.runJobs();

    const read = await call('GET', `/api/collections/${weather}`, { key: ada.key });
    const headers = ['If-None-Match', textOf(read.headers.etag)];
    expect((await call('GET', `/api/collections/${weather}`, { key: ada.key, headers })).status).toBe(304);
    await call('GET', `/api/collections/${weather}/metadata`, { key: ada.key });
    await call('GET', `/api/collections/${roads}/metadata`, { token: ada.token });
    await call('GET', `/api/collections/${roads}`, { token: bob.token });
    for (const caller of [{ key: ada.key }, { token: bob.token }]) {
      await call('POST', '/api/vector/search', { ...caller, json: { query: 'what is not kept' } });
    }
    // Neither a list nor a refusal is a use.
    await call('GET', '/api/collections/', { token: bob.token });
    await call('GET', `/api/collections/${weather}`, { token: bob.token });
    await call('GET', `/api/collections/${weather}/metadata`, { key: bob.key });
    await subject.useCases.writeUsage();
  });

  describe('reports', () => {
    test('sums up reads, searches and credential reads by day', async () => {
      expect(await of('')).toEqual([
        {
          day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
          ...none,
          reads: 5,
          searches: 2,
          credential_reads: 1,
        },
      ]);
    });

    test('sums up by collection, the uses of none last', async () => {
      expect(await of('?by=collection')).toEqual([
        { collection_id: roads, collection_name: '=Roads', ...none, reads: 2 },
        { collection_id: weather, collection_name: 'Collection 3', ...none, reads: 3, credential_reads: 1 },
        { collection_id: null, collection_name: null, ...none, searches: 2 },
      ]);
    });

    test('sums up by profile', async () => {
      expect(await of('?by=profile')).toEqual([
        { profile_id: ada.id, profile_email: ada.email, ...none, reads: 4, searches: 1, credential_reads: 1 },
        { profile_id: bob.id, profile_email: bob.email, ...none, reads: 1, searches: 1 },
      ]);
    });

    test('says who used a collection, and what a profile used', async () => {
      expect((await of(`?by=profile&collection_id=${weather}`)).map((line) => line.profile_id)).toEqual([ada.id]);
      expect((await of(`?by=collection&profile_id=${bob.id}`)).map((line) => line.collection_id)).toEqual([
        roads,
        null,
      ]);
      expect(await of(`?collection_id=${weather.toUpperCase()}&profile_id=${bob.id}`)).toEqual([]);
      for (const unknown of ['profile_id', 'collection_id']) expect(await of(`?${unknown}=${unknownId}`)).toEqual([]);
    });

    test('is asked for by e-mail and by name; a name that nobody or nothing has is a 404', async () => {
      expect((await of('?by=profile&collection=%3DRoads')).map((line) => line.profile_id)).toEqual([ada.id, bob.id]);
      expect((await of(`?by=collection&profile=${bob.email.toUpperCase()}`)).map((line) => line.collection_id)).toEqual(
        [roads, null],
      );
      const unknown = async (query: string) => refusalOf(await usage(`?${query}`));
      expect(await unknown('profile=nobody@example.com')).toEqual([404, 'User not found']);
      expect(await unknown('collection=Nothing')).toEqual([404, 'Collection not found']);
      expect(await of(`?profile=${unknownId}`)).toEqual([]);
      for (let made = 0; made < 2; made++) await cast.newCollection({ name: 'Shared' });
      expect((await usage('?collection=Shared')).body.detail).toMatch(/^Several collections have this name/);
    });

    test('is asked for by anyone for its own e-mail, in any form; others are refused', async () => {
      const own = await usage(`?by=profile&profile=${bob.email.toUpperCase()}`, { token: bob.token });
      expect(own.list.map((line) => line.profile_id)).toEqual([bob.id]);
      expect((await usage(`?profile=${ada.email}`, { token: bob.token })).status).toBe(403);
    });

    test('covers the days that the asked time touches', async () => {
      const [{ day }] = (await of('')) as [{ day: string }];
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      for (const query of [
        `?from=${day}`,
        `?from=${day}T23:59Z`,
        `?to=${next}`,
        `?to=${day}T00:01Z`,
        `?from=${day}&to=${next}`,
      ])
        expect([query, await of(query)]).toEqual([query, [expect.objectContaining({ day })]]);
      for (const query of [`?from=${next}`, `?to=${day}`, '?from=2020-01-01&to=2020-02-01', `?from=${next}&to=${day}`])
        expect([query, await of(query)]).toEqual([query, []]);
    });

    test.each(['by=week', 'by=day,profile', 'from=soon', 'to=2026-02-30', 'profile_id=1', 'collection_id=x'])(
      '%s is a 400',
      async (query) => {
        const reply = await usage(`?${query}`);
        expect([reply.status, textOf(reply.body.detail).startsWith('Invalid query parameter: ')]).toEqual([400, true]);
      },
    );
  });

  describe('a client', () => {
    test('sees its own uses, by token and by key', async () => {
      for (const caller of [{ token: bob.token }, { key: bob.key }]) {
        expect((await usage('?by=profile', caller)).list).toEqual([
          { profile_id: bob.id, profile_email: bob.email, ...none, reads: 1, searches: 1 },
        ]);
        expect((await usage(`?profile_id=${bob.id}`, caller)).list).toHaveLength(1);
        expect((await usage(`?collection_id=${weather}`, caller)).list).toEqual([]);
      }
    });

    test("is refused another's, registered or not, and finds no collection by name that it may not see", async () => {
      for (const query of [`profile_id=${ada.id}`, `profile=${ada.email}`, 'profile=nobody@example.com']) {
        const reply = await usage(`?${query}`, { key: bob.key });
        expect([query, reply.status, reply.body.detail]).toEqual([query, 403, 'Admin access required']);
      }
      expect((await usage(`?profile=${bob.email}`, { key: bob.key })).list).toHaveLength(1);
      expect((await usage('?collection=%3DRoads', { key: bob.key })).list).toHaveLength(1);
      const hidden = await usage('?collection=Collection%203', { key: bob.key });
      expect([hidden.status, hidden.body.detail]).toEqual([404, 'Collection not found']);
      expect(outcomeOf(await usage('?collection=Nothing', { key: bob.key }))).toEqual([hidden.status, hidden.body]);
    });

    test('does not learn the name of a collection that was taken from it', async () => {
      const carol = await cast.newClient();
      const renamed = await cast.newCollection();
      await cast.grant(carol, renamed);
      await call('GET', `/api/collections/${renamed}`, { key: carol.key });
      await subject.useCases.writeUsage();
      await cast.revoke(carol, renamed);
      const json = { name: 'A secret project' };
      await call('PUT', `/api/collections/${renamed}`, { token: cast.admin, json });
      const line = { collection_id: renamed, ...none, reads: 1 };
      const own = (await usage('?by=collection', { key: carol.key })).list;
      expect(own).toEqual([{ ...line, collection_name: null }]);
      expect(await of(`?by=collection&profile_id=${carol.id}`)).toEqual([{ ...line, collection_name: json.name }]);
      await call('DELETE', `/api/profiles/${carol.id}`, { token: cast.admin });
      expect(await of(`?collection_id=${renamed}`)).toEqual([]);
    });
  });

  describe('as a table', () => {
    const csv = (query: string, accept = 'text/csv') =>
      usage(query, { token: cast.admin, headers: ['Accept', accept] });

    test('has a header row, and no cell that a spreadsheet takes for a formula', async () => {
      const reply = await csv('?by=collection');
      expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
      expect(reply.headers.vary).toBe('Accept');
      expect(reply.text.split('\r\n').slice(0, 2)).toEqual([
        'collection_id,collection_name,reads,searches,slices,credential_reads,refused',
        `${roads},'=Roads,2,0,0,0,0`,
      ]);
      expect((await csv('?by=profile')).text).toContain(`${bob.id},${bob.email},1,1,0,0,0\r\n`);
      expect((await csv('?to=2020-01-01')).text).toBe('day,reads,searches,slices,credential_reads,refused\r\n');
    });

    test.each(['application/json', '*/*', 'text/*', 'application/json, text/csv;q=0.5', 'text/csv;q=0'])(
      'is not what a caller gets who accepts %s',
      async (accept) => {
        expect((await csv('', accept)).headers['content-type']).toBe('application/json; charset=utf-8');
      },
    );
  });

  describe('the last use', () => {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

    test('of a profile and of its key is shown on request', async () => {
      const never = await cast.register();
      const { list } = await call('GET', '/api/profiles/?include=usage', { token: cast.admin });
      const found = (id: string) => {
        const { last_used_at, key_last_used_at } = list.find((profile) => profile.id === id) ?? {};
        return [last_used_at, key_last_used_at];
      };
      expect([found(ada.id), found(bob.id), found(never.id)]).toEqual([
        [timestamp, timestamp],
        [timestamp, timestamp],
        [null, null],
      ]);
      const own = (await call('GET', '/api/profiles/me?include=usage,tier', { token: ada.token })).body;
      expect(own).toMatchObject({ last_used_at: timestamp, key_last_used_at: timestamp, tier: null });
      const plain = (await call('GET', '/api/profiles/me', { token: ada.token })).body;
      expect(plain).not.toHaveProperty('last_used_at');
    });

    test('of a key is any request that it admitted, counted as a use or not', async () => {
      const dan = await cast.newClient();
      const byKey = async () =>
        (await call('GET', '/api/profiles/me?include=usage', { token: dan.token })).body.key_last_used_at;
      await subject.useCases.writeUsage();
      expect(await byKey()).toBeNull();
      await call('POST', '/api/audit/', { key: dan.key, json: { message: {} } });
      await subject.useCases.writeUsage();
      expect(await byKey()).toEqual(timestamp);
      expect(await of(`?profile_id=${dan.id}`)).toEqual([]);
    });

    test("of a collection is anyone's for an admin, and its own for a client", async () => {
      const unused = await cast.newCollection({ name: 'zzz never read' });
      for (const person of [ada, bob]) await cast.grant(person, unused);
      const uses = async (token: string) => {
        const { list } = await call('GET', '/api/collections/?include=usage', { token });
        return Object.fromEntries(list.map(({ id, last_used_at }) => [textOf(id), last_used_at])) as object;
      };
      expect(await uses(cast.admin)).toMatchObject({ [weather]: timestamp, [roads]: timestamp, [unused]: null });
      expect(await uses(ada.token)).toMatchObject({ [weather]: timestamp, [unused]: null });
      await cast.grant(bob, weather);
      expect(await uses(bob.token)).toEqual({ [weather]: null, [roads]: timestamp, [unused]: null });
      const plain = await call('GET', '/api/collections/', { token: bob.token });
      expect(plain.list[0]).not.toHaveProperty('last_used_at');
    });

    test('of a collection is on each page of the list, and in the collection itself, which is then not kept', async () => {
      const page = await call('GET', '/api/collections/?limit=1&include=usage', { token: ada.token });
      expect(page.list).toMatchObject([{ id: roads, last_used_at: timestamp }]);
      expect(page.headers.link).toContain('include=usage');
      for (const headers of [[], ['Accept-Encoding', 'gzip']]) {
        const reply = await call('GET', `/api/collections/${weather}?include=usage`, { key: ada.key, headers });
        expect(reply.body).toMatchObject({ id: weather, last_used_at: timestamp });
        expect([reply.headers.etag, reply.headers['cache-control']]).toEqual([undefined, 'no-store']);
      }
      const plain = await call('GET', `/api/collections/${weather}`, { key: ada.key });
      expect(plain.body).not.toHaveProperty('last_used_at');
    });
  });

  test('a slice counts each time it is read: cut anew, kept by the process, or known to the caller', async () => {
    const openapi_spec = { ...smallDocument, paths: { '/forecast': { get: { responses: {} } } } };
    const [eve, collection] = [await cast.newClient(), await cast.newCollection({ openapi_spec })];
    await cast.grant(eve, collection);
    const path = `/api/collections/${collection}/operations`;
    const [operation] = (await call('GET', path, { key: eve.key })).list;
    const slice = `${path}/${textOf(operation?.operation_key)}`;
    const [cut, kept] = [await call('GET', slice, { key: eve.key }), await call('GET', slice, { key: eve.key })];
    const headers = ['If-None-Match', textOf(cut.headers.etag)];
    const known = await call('GET', slice, { key: eve.key, headers });
    expect([cut.status, kept.status, known.status]).toEqual([200, 200, 304]);
    await subject.useCases.writeUsage();
    expect(await of(`?by=collection&profile_id=${eve.id}`)).toMatchObject([{ collection_id: collection, slices: 3 }]);
  });

  test('requests beyond the limit of a client are counted as refused, with its key in use', async () => {
    const eve = await cast.newClient();
    const json = { client_id: eve.id, allowed_limit: 2, window_seconds: 3_600 };
    await call('POST', '/api/rate-limits/overrides', { token: cast.admin, json });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await call('GET', '/api/rate-limits/tiers/active/all', { key: eve.key })).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    await subject.useCases.writeUsage();
    expect(await of(`?by=collection&profile_id=${eve.id}`)).toEqual([
      { collection_id: null, collection_name: null, ...none, refused: 3 },
    ]);
    expect(await of(`?by=profile&profile_id=${eve.id}`)).toMatchObject([{ profile_email: eve.email, refused: 3 }]);
    expect((await call('GET', '/metrics')).text).not.toContain('uses_total{kind="refused"}');
  });

  test('the metrics count all uses since the start', async () => {
    const { text } = await call('GET', '/metrics');
    const total = (kind: string) => Number(new RegExp(`^uses_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(total('read')).toBeGreaterThanOrEqual(5);
    expect([total('search'), total('slice'), total('credential_read')]).toEqual([2, 3, 1]);
  });
};
