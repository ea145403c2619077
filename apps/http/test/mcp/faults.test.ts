import { PorticoError, type Ports } from '@portico/domain';
import { expect, test } from 'vitest';
import { startInMemory } from '../start-in-memory.ts';
import { createFixtures, expectStatus } from '../subject.ts';

const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

const withPorts = async (ports: (ports: Ports) => Partial<Ports>, json: object) => {
  const subject = await startInMemory({ ports });
  try {
    const fixtures = await createFixtures(subject);
    await fixtures.newCollection();
    await subject.runJobs();
    const reply = await subject.client.call('POST', '/mcp', { token: fixtures.admin, json });
    return { reply, log: subject.listLogLines().join('') };
  } finally {
    await subject.close();
  }
};

test('a bug in a tool fails the request, is logged, and is not revealed', async () => {
  const { reply, log } = await withPorts(
    ({ collections }) => ({
      collections: { ...collections, list: () => Promise.reject(new Error('the shelf fell down')) },
    }),
    call('list_apis'),
  );
  expect([reply.status, reply.body]).toEqual([500, { detail: 'Internal server error' }]);
  expect(log).toContain('the shelf fell down');
});

test('while the embedder is unavailable, search suggests an alternative', async () => {
  const { reply } = await withPorts(
    ({ embedder }) => ({
      embedder: {
        ...embedder,
        getModelId: () => embedder.getModelId(),
        embed: (texts, kind) =>
          kind === 'query' ? Promise.reject(new PorticoError('embedding_unavailable')) : embedder.embed(texts, kind),
      },
    }),
    call('search_apis', { query: 'weather' }),
  );
  const { result } = expectStatus(reply, 200).body;
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('list_apis') as string }] });
});

test('a caller that is deleted before its collection is read is rejected as unknown', async () => {
  let reads = 0;
  const { reply } = await withPorts(
    ({ callers }) => ({
      callers: {
        findByClientId: (...parameters) => callers.findByClientId(...parameters),
        findByEitherId: (id) => callers.findByEitherId(id, Date.now()),
        findByAccountId: (...parameters) => callers.findByAccountId(...parameters),
        findByUid: (uid, target) =>
          target?.detail === 'full' && ++reads > 0 ? Promise.resolve(null) : callers.findByUid(uid, target, Date.now()),
      },
    }),
    call('get_api', { collection_id: '11111111-1111-4111-8111-111111111111' }),
  );
  expect([reads, reply.status, reply.body.detail]).toEqual([
    1,
    401,
    expect.stringMatching(/^Invalid or expired token/),
  ]);
});
