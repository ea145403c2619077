import { createMemoryStores } from '@portico/memory';
import type { JobId } from '@portico/domain';
import { expect, test } from 'vitest';
import { createTracedStores } from './traced-stores.ts';

const traceStores = () => {
  const calls: string[] = [];
  const stores = createTracedStores(createMemoryStores(), {
    call: (operation, work) => {
      calls.push(operation);
      return work();
    },
    recordJobKind: (kind) => calls.push(`claimed ${kind}`),
  });
  return { calls, stores };
};

test('each call of a store is reported by its name, and returns the result of the store', async () => {
  const { calls, stores } = traceStores();
  expect(await stores.collections.list({ scope: 'all' }, null)).toEqual([]);
  expect(await stores.profiles.listAdmins()).toEqual([]);
  expect(calls).toEqual(['collections.list', 'profiles.listAdmins']);
});

test('a stream is passed through', async () => {
  const { calls, stores } = traceStores();
  for await (const entry of stores.audit.export({ source: 'all' })) throw new Error(JSON.stringify(entry));
  expect(calls).toEqual([]);
});

test('no kind is reported for a job that could not be claimed', async () => {
  const { calls, stores } = traceStores();
  expect(await stores.outbox.claim('00000000-0000-4000-8000-000000000000' as JobId, 1, 2)).toBeNull();
  expect(calls).toEqual(['outbox.claim']);
});
