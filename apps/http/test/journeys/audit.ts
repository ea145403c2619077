import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Client, type Start } from '../subject.ts';

/** Tests writing, paging, filtering and exporting the audit log. */
export const auditSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  let client: Client;
  const writeEntry = (json: unknown) => call('POST', '/api/audit/', { key: client.key, json });
  const writeText = (raw: string) =>
    call('POST', '/api/audit/', { key: client.key, raw, headers: ['Content-Type', 'application/json'] });
  const readPage = (query: string) => call('GET', `/api/audit/?${query}`, { token: fixtures.admin });

  beforeAll(async () => {
    client = await fixtures.newClient();
  });

  describe('writing', () => {
    test('returns id, message and timestamp, which is the time of arrival by default', async () => {
      const reply = await writeEntry({ message: { action: 'login' } });
      expect(reply.status).toBe(201);
      expect(Object.keys(reply.body)).toEqual(['id', 'message', 'timestamp']);
      expect(reply.body.message).toEqual({ action: 'login' });
      expect(textOf(reply.body.timestamp)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const tokenReply = await call('POST', '/api/audit/', { token: client.token, json: { message: {} } });
      expect(tokenReply.status).toBe(201);
    });

    test('the message is returned exactly as it was sent', async () => {
      const message =
        '{ "n" : 12345678901234567890, "f":1.0,"z":1,"a":[1 ,2],"__proto__":{"x":1},"constructor":1,\n"u":"\\u00e9"}';
      const reply = await writeText(`{"timestamp":"2020-01-01T00:00:00Z", "message" : ${message} }`);
      expect(reply.status).toBe(201);
      expect(reply.text).toContain(`"message":${message},`);
      const emptyPage = await readPage('from=2020-01-01T00:00:00Z&to=2020-01-01T00:00:01Z');
      expect(emptyPage.text).toContain(`"message":${message},`);
    });

    test('if a name occurs twice, the last value counts', async () => {
      const reply = await writeText('{"message":{"a":1},"message":{"b":2}}');
      expect(reply.body.message).toEqual({ b: 2 });
    });

    test.each([
      '2026-01-31T09:30:00Z',
      '2026-01-31T09:30:00+02:00',
      '2026-01-31T09:30',
      '20260131T093000Z',
      '2026-W05-6T09:30',
    ])('the timestamp %s is returned as it was sent', async (timestamp) => {
      expect((await writeEntry({ message: {}, timestamp })).body.timestamp).toBe(timestamp);
    });

    test.each([
      ['no message', {}],
      ['a message that is null', { message: null }],
      ['a message that is a string', { message: 'x' }],
      ['a message that is an array', { message: [] }],
      ['an invalid timestamp', { message: {}, timestamp: 'yesterday' }],
      ['a date that does not exist', { message: {}, timestamp: '2026-02-30T00:00:00Z' }],
      ['a timestamp that is a number', { message: {}, timestamp: 1 }],
      ['U+0000 in the message', { message: { action: 'a\0' } }],
      ['U+0000 in a name', { message: { deep: [{ 'a\0': 1 }] } }],
    ])('rejects %s', async (_case, json) => {
      const reply = await writeEntry(json);
      expect([reply.status, textOf(reply.body.detail).startsWith('Invalid request body: ')]).toEqual([400, true]);
    });

    test('an absent, null or empty timestamp is the time of arrival', async () => {
      for (const timestamp of [undefined, null, '']) {
        expect((await writeEntry({ message: {}, timestamp })).status).toBe(201);
      }
    });

    test('accepts at most 100 levels of nesting', async () => {
      const nestText = (levels: number) => `{"message":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
      expect((await writeText(nestText(100))).status).toBe(201);
      const tooDeepReply = await writeText(nestText(101));
      expect([tooDeepReply.status, tooDeepReply.body.detail]).toEqual([
        400,
        'Invalid request body: nested deeper than 100 levels at line 1, column 512',
      ]);
      expect((await writeText(`{"message":${'['.repeat(100_000)}`)).status).toBe(400);
    });
  });

  describe('reading', () => {
    let writer: Client;
    const createWriterFilter = () => `actor_id=${writer.id}`;

    beforeAll(async () => {
      writer = await fixtures.newClient();
      await call('GET', '/api/profiles/me', { token: writer.token });
      for (let index = 0; index < 25; index++) {
        const json = {
          message: { action: index % 2 ? 'odd' : 'even', client_id: 'c', collection_id: 'k', index },
          timestamp: `2026-03-01T00:00:${String(index).padStart(2, '0')}Z`,
        };
        await call('POST', '/api/audit/', { key: writer.key, json });
      }
    });

    test('returns the newest entries first, with the totals', async () => {
      const firstPage = await readPage(createWriterFilter());
      expect(Object.keys(firstPage.body)).toEqual(['data', 'total', 'page', 'pageSize', 'totalPages']);
      expect(firstPage.body).toMatchObject({ total: 25, page: 1, pageSize: 20, totalPages: 2 });
      const data = firstPage.body.data as { message: { index: number } }[];
      expect(data.map(({ message }) => message.index)).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index));
      expect(Object.keys(data[0] ?? {})).toEqual(['id', 'message', 'timestamp']);
    });

    test('a page past the end is empty, and a size above 100 is reduced to 100', async () => {
      expect((await readPage(`${createWriterFilter()}&page=3`)).body).toMatchObject({
        data: [],
        total: 25,
        page: 3,
        totalPages: 2,
      });
      for (const page of ['90071992547409', '90071992547410', '9007199254740993', '9'.repeat(400)]) {
        for (const size of ['1', '100']) {
          const reply = await readPage(`${createWriterFilter()}&page=${page}&pageSize=${size}`);
          expect([reply.status, reply.body]).toMatchObject([200, { data: [], total: 25 }]);
        }
      }
      for (const size of ['100', '101', '99999999999999999999']) {
        expect((await readPage(`${createWriterFilter()}&pageSize=${size}`)).body).toMatchObject({
          pageSize: 100,
          totalPages: 1,
        });
      }
      expect((await readPage(`${createWriterFilter()}&pageSize=1&page=25`)).body).toMatchObject({ totalPages: 25 });
    });

    test.each(['page=0', 'page=-1', 'page=x', 'page=1.5', 'pageSize=0', 'pageSize=1e2', 'page=1&page=1'])(
      '%s is a 400',
      async (query) => {
        const reply = await readPage(query);
        expect([reply.status, textOf(reply.body.detail).startsWith('Invalid query parameter: page')]).toEqual([
          400,
          true,
        ]);
      },
    );

    test.each([
      ['action=odd', 12],
      ['action=', 25],
      ['client_id=c', 25],
      ['client_id=d', 0],
      ['collection_id=k&action=even', 13],
      ['from=2026-03-01T00:00:20Z', 5],
      ['to=2026-03-01T00:00:05Z', 5],
      ['from=2026-03-01T02:00:00%2B02:00&to=2026-03-01T00:00:03Z', 3],
      // A date without a time is the first instant of that day in UTC.
      ['from=2026-03-01', 25],
      ['from=2026-03-01&to=2026-03-02', 25],
      ['from=2026-03-02', 0],
      ['to=2026-03-01', 0],
      // The service's own entry records the binding.
      ['source=all', 26],
      ['source=system', 1],
    ])('%s finds %i', async (query, total) => {
      expect((await readPage(`${createWriterFilter()}&${query}`)).body.total).toBe(total);
    });

    test.each([
      'source=none',
      'actor_id=x',
      'from=yesterday',
      'to=1',
      'to=2026-02-30',
      'from=2026-03',
      'include=all',
      'action=%00',
      `action=${'x'.repeat(201)}`,
    ])('the filter %s is a 400', async (query) => {
      expect((await readPage(query)).status).toBe(400);
      expect((await call('GET', `/api/audit/export?${query}`, { token: fixtures.admin })).status).toBe(400);
    });

    test('returns on request who wrote an entry and when it arrived', async () => {
      const { data } = (await readPage(`${createWriterFilter()}&include=actor&pageSize=1`)).body as {
        data: { actor_id: string }[];
      };
      expect(Object.keys(data[0] ?? {})).toEqual(['id', 'message', 'timestamp', 'actor_id', 'received_at']);
      expect(data[0]?.actor_id).toBe(writer.id);
    });

    test('returns on request the name of the profile or service account that wrote an entry, in pages and in the export', async () => {
      const { data } = (await readPage(`${createWriterFilter()}&include=names&pageSize=1`)).body as {
        data: { actor: string }[];
      };
      expect(Object.keys(data[0] ?? {})).toEqual(['id', 'message', 'timestamp', 'actor', 'source']);
      expect(data[0]?.actor).toBe(writer.email);
      const entryReply = (await readPage(`${createWriterFilter()}&include=actor,names&pageSize=1`)).body as {
        data: { actor: string }[];
      };
      expect(entryReply.data[0]).toMatchObject({ actor_id: writer.id, actor: writer.email });

      const createdAccount = await call('POST', '/api/service-accounts', {
        token: fixtures.admin,
        json: { name: 'Night build', scopes: ['access:write'] },
      });
      const account = createdAccount.body as { id: string; token: string };
      const group = await call('POST', '/api/groups', { token: account.token, json: { name: 'Of the night' } });
      expect(group.status).toBe(201);
      const path = `/api/audit/export?source=all&include=names&action=group.create`;
      const exportReply = await call('GET', path, { token: fixtures.admin });
      expect(JSON.parse(exportReply.text)).toMatchObject({
        actor: 'Night build',
        source: 'system',
        message: { group: 'Of the night' },
      });
      await call('DELETE', `/api/service-accounts/${account.id}`, { token: fixtures.admin });
      const replyAfterRevocation = await call('GET', path, { token: fixtures.admin });
      expect(JSON.parse(replyAfterRevocation.text)).toMatchObject({ actor: null });
    });

    test('entries written by the service are separate from entries written by callers', async () => {
      const serviceEntries = await readPage(`source=system&actor_id=${fixtures.adminId}&action=profile.approve`);
      expect(serviceEntries.body.total).toBe(2);
      expect((await readPage(`actor_id=${fixtures.adminId}&action=profile.approve`)).body.total).toBe(0);
      expect((await readPage(`actor_id=${unknownId}`)).body.total).toBe(0);
    });

    test('the export has one entry per line, in the order of the pages', async () => {
      await call('POST', '/api/audit/', {
        key: writer.key,
        raw: '{"message":{\n "action":\r\n "multi\\nline"\n},"timestamp":"2026-03-02T00:00:00Z"}',
        headers: ['Content-Type', 'application/json'],
      });
      const path = `/api/audit/export?${createWriterFilter()}&include=actor`;
      const reply = await call('GET', path, { token: fixtures.admin });
      expect(reply.headers['content-type']).toBe('application/x-ndjson');
      const lines = reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { message: { action: string } });
      expect(lines.length).toBe(26);
      expect(lines[0]?.message.action).toBe('multi\nline');
      const emptyExport = await call('GET', `/api/audit/export?actor_id=${unknownId}`, { token: fixtures.admin });
      expect([emptyExport.status, emptyExport.text]).toEqual([200, '']);
      expect((await call('HEAD', path, { token: fixtures.admin })).status).toBe(200);
    });
  });
};
