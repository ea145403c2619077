import { beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { outcomeOf, type Reply } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Client, type Person, type Start } from '../subject.ts';

/** Tests reading lists page by page, searching them and counting their items, as a console does. */
export const listsSuite = (start: Start): void => {
  const { fixtures, call, pages: follow } = provideSubject(start);
  const asAdmin = (path: string): Promise<Reply> => call('GET', path, { token: fixtures.admin });

  /** Follows the `Link` headers from `path`. */
  const readPages = async (path: string, options?: CallOptions) => {
    const replies = await follow(path, options);
    return { sizes: replies.map(({ list }) => list.length), lines: replies.flatMap(({ list }) => list), replies };
  };
  const idsOf = (lines: readonly Readonly<Record<string, unknown>>[]) => lines.map(({ id }) => id);

  describe('people', () => {
    let people: Person[];

    beforeAll(async () => {
      people = [];
      for (let index = 0; index < 5; index++) people.push(await fixtures.register({ full_name: `Zoë Page ${index}` }));
      await fixtures.approve(people[1] as Person);
    });

    test('are returned page by page, oldest or newest first, each profile once', async () => {
      const completeList = (await asAdmin('/api/profiles/')).list;
      const oldestPages = await readPages('/api/profiles/?limit=4');
      expect(oldestPages.lines).toEqual(completeList);
      expect(oldestPages.sizes).toEqual([4, 2]);
      const newestPages = await readPages('/api/profiles/?limit=4&order=newest');
      expect(newestPages.lines).toEqual(completeList.toReversed());
      expect((await asAdmin('/api/profiles/?order=newest')).list).toEqual(newestPages.lines);
    });

    test('are filtered the same way on each page, with the same included fields', async () => {
      const q = encodeURIComponent('ZOË p');
      const result = await readPages(`/api/profiles/?q=${q}&registration_status=pending&limit=2&include=usage,key`);
      const pendingIds = [people[0], people[2], people[3], people[4]].map((person) => person?.id);
      expect(idsOf(result.lines).sort()).toEqual(pendingIds.sort());
      expect(result.sizes).toEqual([2, 2]);
      for (const line of result.lines) expect(line).toMatchObject({ last_used_at: null, key_expires_at: null });
    });

    test('are found by role', async () => {
      expect(idsOf((await asAdmin('/api/profiles/?role=admin')).list)).toEqual([fixtures.adminId]);
      expect(idsOf((await asAdmin('/api/profiles/?role=client')).list)).not.toContain(fixtures.adminId);
    });

    test('are counted on request, under the same filters', async () => {
      const readTotal = async (query: string) => (await asAdmin(`/api/profiles/?${query}`)).headers['x-total-count'];
      const completeList = (await asAdmin('/api/profiles/')).list;
      expect(await readTotal('limit=1')).toBeUndefined();
      expect(await readTotal('limit=1&include_total=true')).toBe(`${completeList.length}`);
      expect(await readTotal('include_total=true&registration_status=approved&role=client')).toBe('1');
      expect(await readTotal(`include_total=true&limit=1&q=${encodeURIComponent('zoë')}`)).toBe('5');
    });

    test('can be read individually, by id or email address, with the included fields', async () => {
      const person = people[1] as Person;
      const listedProfiles = (await asAdmin('/api/profiles/?include=tier,bound,usage,key,suspension')).list;
      for (const name of [person.id, person.email.toUpperCase()]) {
        const reply = await asAdmin(`/api/profiles/${name}?include=tier,bound,usage,key,suspension`);
        expect(reply.status).toBe(200);
        expect(reply.body).toMatchObject({ ...listedProfiles.find(({ id }) => id === person.id) });
        expect(textOf(reply.body.approved_at)).toMatch(/^20/);
      }
      for (const name of [unknownId, 'nobody@example.com', 'nobody']) {
        expect(outcomeOf(await asAdmin(`/api/profiles/${name}`))).toEqual([404, { detail: 'User not found' }]);
      }
    });
  });

  describe('groups', () => {
    beforeAll(async () => {
      for (const name of ['Öl A', 'Öl B', 'Gas', 'öl c'])
        await call('POST', '/api/groups', { token: fixtures.admin, json: { name } });
    });

    test('are returned page by page, found by a part of the name, and counted', async () => {
      const namesOf = (lines: readonly Readonly<Record<string, unknown>>[]) => lines.map(({ name }) => name);
      const completeList = namesOf((await asAdmin('/api/groups')).list);
      expect(completeList).toEqual(['Gas', 'Öl A', 'Öl B', 'öl c']);
      const pageReplies = await readPages('/api/groups?limit=3&include_total=true');
      expect([namesOf(pageReplies.lines), pageReplies.sizes]).toEqual([completeList, [3, 1]]);
      expect(pageReplies.replies.map(({ headers }) => headers['x-total-count'])).toEqual(['4', '4']);
      const result = await readPages(`/api/groups?limit=2&include_total=true&q=${encodeURIComponent('ÖL')}`);
      expect([namesOf(result.lines), result.replies[0]?.headers['x-total-count']]).toEqual([
        completeList.slice(1),
        '3',
      ]);
    });
  });

  describe('overrides', () => {
    test('are returned page by page, with the client of each override, and counted', async () => {
      const clients = [await fixtures.newClient(), await fixtures.newClient(), await fixtures.newClient()];
      for (const { email } of clients)
        await call('POST', '/api/rate-limits/overrides', {
          token: fixtures.admin,
          json: { client_id: email, allowed_limit: 7, window_seconds: 60 },
        });
      const completeList = (await asAdmin('/api/rate-limits/overrides')).list;
      const pageReplies = await readPages('/api/rate-limits/overrides?limit=2&include=client&include_total=true');
      expect(pageReplies.sizes).toEqual([2, 1]);
      expect(pageReplies.replies.map(({ headers }) => headers['x-total-count'])).toEqual(['3', '3']);
      expect(pageReplies.lines).toEqual(
        completeList.map((line, index) => ({
          ...line,
          profile_id: clients[index]?.id,
          email: clients[index]?.email,
          full_name: expect.any(String) as string,
        })),
      );
      expect((await asAdmin('/api/rate-limits/overrides?include=client')).list).toEqual(pageReplies.lines);
      expect(completeList.map((line) => 'email' in line)).toEqual([false, false, false]);
    });
  });

  describe('collections', () => {
    let client: Client;
    let ids: string[];

    beforeAll(async () => {
      client = await fixtures.newClient();
      ids = [];
      for (const name of ['Ölpreise', 'ölpreise alt', 'Wetter', 'Ölpreise neu'])
        ids.push(await fixtures.newCollection({ name, discoverable: name === 'Wetter' }));
      for (const index of [0, 2, 3]) await fixtures.grant(client, ids[index] as string);
    });

    test('are found by a part of the name, if they are visible to the caller, page by page', async () => {
      const q = encodeURIComponent('ÖLPREISE');
      const adminPages = await readPages(`/api/collections/?q=${q}&limit=1&include=discoverable`);
      expect(idsOf(adminPages.lines)).toEqual([ids[0], ids[1], ids[3]]);
      for (const line of adminPages.lines) expect(line.discoverable).toBe(false);
      const clientPages = await readPages(`/api/collections/?q=${q}&limit=1`, { token: client.token });
      expect(idsOf(clientPages.lines)).toEqual([ids[0], ids[3]]);
    });

    test("searching does not affect the caller's cached list", async () => {
      const readNames = async (query: string) =>
        (await call('GET', `/api/collections/${query}`, { token: client.token })).list.map(({ name }) => name);
      const visibleNames = ['Wetter', 'Ölpreise', 'Ölpreise neu'];
      for (let round = 0; round < 2; round++) {
        expect(await readNames('?q=wett')).toEqual(['Wetter']);
        expect(await readNames('')).toEqual(visibleNames);
        expect(await readNames('?include_total=true')).toEqual(visibleNames);
      }
    });

    test('are counted only if they are visible to the caller', async () => {
      const readTotal = async (query: string, token: string) =>
        (await call('GET', `/api/collections/?${query}`, { token })).headers['x-total-count'];
      expect(await readTotal('limit=1&include_total=true', fixtures.admin)).toBe('4');
      expect(await readTotal('limit=1&include_total=true', client.token)).toBe('3');
      expect(await readTotal('include_total=true&q=neu', client.token)).toBe('1');
    });

    test('the lists of the collections of a client or group and of the clients of a collection have pages and totals', async () => {
      const group = textOf(
        (await call('POST', '/api/groups', { token: fixtures.admin, json: { name: 'Pages' } })).body.id,
      );
      const otherClients = [await fixtures.newClient(), await fixtures.newClient()];
      for (const id of ids) await call('POST', `/api/groups/${group}/collections/${id}`, { token: fixtures.admin });
      for (const otherClient of otherClients) await fixtures.grant(otherClient, ids[0] as string);
      for (const path of [
        `/api/access/clients/${client.id}/collections?granted=true`,
        `/api/access/clients/${client.id}/collections?granted=false`,
        `/api/access/collections/${ids[0]}/clients?include=ways`,
        `/api/access/collections/${ids[0]}/clients?include_total=false`,
        `/api/groups/${group}/collections?include_total=false`,
      ]) {
        const completeList = (await asAdmin(path)).list;
        const pageReplies = await readPages(`${path}&limit=2`);
        expect(pageReplies.lines).toEqual(completeList);
        expect(pageReplies.sizes[0]).toBe(2);
        expect(pageReplies.sizes.length).toBe(Math.ceil(completeList.length / 2));
        const countedReply = await asAdmin(`${path.replace('include_total=false', '')}&limit=1&include_total=true`);
        expect([countedReply.list.length, countedReply.headers['x-total-count']]).toEqual([
          1,
          `${completeList.length}`,
        ]);
      }
    });

    test('a summary has no credential, and reading it is not audited and not counted as a use', async () => {
      const id = await fixtures.newCollection({
        authentication: { type: 'apiKey', name: 'X-Key', value: 'the-secret' },
      });
      await fixtures.grant(client, id);
      const countEntries = async () => (await asAdmin('/api/audit/?source=all')).body.total;
      const entriesBefore = await countEntries();
      for (const caller of [{ token: fixtures.admin }, { token: client.token }, { key: client.key }]) {
        const reply = await call('GET', `/api/collections/${id}/summary`, caller);
        expect(reply.body).toMatchObject({
          id,
          base_url: '/',
          authentication: { type: 'apiKey', name: 'X-Key', in: 'header', has_value: true, is_set: true },
          discoverable: false,
          created_by: fixtures.adminId,
        });
        expect(reply.text).not.toContain('the-secret');
      }
      expect(await countEntries()).toBe(entriesBefore);
      expect((await asAdmin(`/api/usage?by=collection&collection_id=${id}`)).list).toEqual([]);
    });

    test('a summary is sent again only after it has changed', async () => {
      const id = ids[2] as string;
      const readList = (etag: string) =>
        call('GET', `/api/collections/${id}/summary`, { token: fixtures.admin, headers: ['If-None-Match', etag] });
      const firstReply = await readList('"none"');
      expect(firstReply.body).toMatchObject({
        discoverable: true,
        authentication: { type: 'none', has_value: false, is_set: false },
      });
      expect((await readList(textOf(firstReply.headers.etag))).status).toBe(304);
      await call('PUT', `/api/collections/${id}`, { token: fixtures.admin, json: { discoverable: false } });
      const secondReply = await readList(textOf(firstReply.headers.etag));
      expect([secondReply.status, secondReply.body.discoverable]).toEqual([200, false]);
    });
  });
};
