import { beforeAll, describe, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { textOf, type Start } from '../subject.ts';

/** Tests search, its health check, and re-indexing. */
export const searchSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  let weather: string;
  let payments: string;
  const search = (json: unknown, credential: object = { token: fixtures.admin }) =>
    call('POST', '/api/vector/search', { json, ...credential });

  beforeAll(async () => {
    weather = await fixtures.newCollection({ name: 'Weather forecasts', description: 'Rain and sun for every city' });
    payments = await fixtures.newCollection({ name: 'Payments', description: 'Charge a card' });
    await subject.runJobs();
  });

  test('the nearest collection comes first', async () => {
    const reply = await search({ query: 'weather for a city' });
    expect(reply.status).toBe(200);
    expect(reply.list.map(({ collection_id }) => collection_id)).toEqual([weather, payments]);
    expect(Object.keys(reply.list[0] ?? {})).toEqual(['collection_id', 'collection_name', 'similarity_score']);
    expect(reply.list[0]?.collection_name).toBe('Weather forecasts');
  });

  test('a client finds its granted collections, with either credential, and hidden collections do not affect the results', async () => {
    const client = await fixtures.newClient();
    const query = { query: 'weather' };
    expect((await search(query, { key: client.key })).list).toEqual([]);
    await fixtures.grant(client, payments);
    const grantedReply = await search(query, { key: client.key });
    expect(grantedReply.list.map(({ collection_id }) => collection_id)).toEqual([payments]);
    expect((await search(query, { token: client.token })).text).toBe(grantedReply.text);
    await call('DELETE', `/api/collections/${await fixtures.newCollection({ name: 'weather' })}`, {
      token: fixtures.admin,
    });
    expect((await search(query, { key: client.key })).text).toBe(grantedReply.text);
    await fixtures.revoke(client, payments);
    expect((await search(query, { key: client.key })).list).toEqual([]);
  });

  test('a new name is found once its embedding job has run', async () => {
    await call('PUT', `/api/collections/${payments}`, { token: fixtures.admin, json: { name: 'Zebras' } });
    await subject.runJobs();
    expect((await search({ query: 'zebras', k_limit: 1 })).list[0]?.collection_id).toBe(payments);
  });

  test.each([1, 100, null, ''])('k_limit may be %j', async (k_limit) => {
    expect((await search({ query: 'q', k_limit })).status).toBe(200);
  });

  test.each([0, 101, -1, 1.5, '5', true, [1]])('k_limit may not be %j', async (k_limit) => {
    const reply = await search({ query: 'q', k_limit });
    expect([reply.status, textOf(reply.body.detail).startsWith('Invalid request body: k_limit')]).toEqual([400, true]);
  });

  test('the query has 1 to 2,000 characters', async () => {
    expect((await search({ query: 'é'.repeat(2_000) })).status).toBe(200);
    for (const query of [undefined, null, '', '  ', 5, 'x'.repeat(2_001), 'a\0']) {
      expect((await search({ query })).status).toBe(400);
    }
  });

  test('the health check needs no credential', async () => {
    const reply = await call('GET', '/api/vector/health');
    expect([reply.status, reply.body.status, reply.body.dimension]).toEqual([200, 'healthy', 768]);
  });

  describe('re-indexing', () => {
    const path = '/api/vector/reindex';
    test('runs only once at a time, and reports its progress', async () => {
      expect((await call('GET', path, { token: fixtures.admin })).body).toMatchObject({
        job_id: null,
        status: 'none',
        model_change: null,
      });
      const startedReply = await call('POST', path, { token: fixtures.admin });
      expect(startedReply.status).toBe(202);
      const repeatedReply = await call('POST', path, { token: fixtures.admin });
      expect([repeatedReply.status, repeatedReply.body.job_id]).toEqual([202, startedReply.body.job_id]);
      await subject.runJobs();
      const done = await call('GET', path, { token: fixtures.admin });
      expect(done.body).toMatchObject({
        job_id: startedReply.body.job_id,
        status: 'done',
        total: 2,
        done: 2,
        failed: 0,
      });
    });
  });
};
