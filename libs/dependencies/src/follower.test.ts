import { createEmbeddingChanges, vectorTowards } from '@portico/contracts';
import type { CollectionId, EmbeddingChange } from '@portico/domain';
import { expect, test } from 'vitest';
import { Follower, type FollowerCopy } from './follower.ts';

const batchSize = 8;

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

const follow = (copy: Partial<FollowerCopy<EmbeddingChange>> = {}, closing?: AbortSignal) => {
  const store = createEmbeddingChanges();
  const applied: number[] = [];
  let reads = 0;
  const follower = new Follower(
    {
      changedSince: async (after, modelId, limit) => {
        reads += 1;
        return store.changedSince(after, modelId, limit);
      },
    },
    batchSize,
    { apply: (_modelId, changes) => void applied.push(...changes.map(({ sequence }) => sequence)), ...copy },
    closing,
  );
  let stored = 0;
  const put = (count: number, modelId = 'm'): number => {
    let asOf = 0;
    for (const last = stored + count; stored < last; stored += 1) {
      asOf = store.put({ modelId, collectionId: idOf(stored), vector: vectorTowards(1, stored) });
    }
    return asOf;
  };
  return { follower, applied, put, reads: () => reads };
};

test('each embedding is applied once, in order, and only those of the requested model', async () => {
  const { follower, applied, put } = follow();
  const asOf = put(batchSize + 3);
  const later = put(2, 'other');
  await follower.catchUp('m', later);
  expect(applied).toEqual(Array.from({ length: asOf }, (_, i) => i + 1));
  expect(follower.isUpTo('m', later)).toBe(true);
  expect(follower.isUpTo('other', 1)).toBe(false);
});

test('simultaneous searches share one read, and known embeddings are not read again', async () => {
  const { follower, applied, put, reads } = follow();
  const asOf = put(5);
  await Promise.all([follower.catchUp('m', asOf), follower.catchUp('m', asOf), follower.catchUp('m', 2)]);
  await follower.catchUp('m', asOf);
  expect(reads()).toBe(1);
  expect(applied).toHaveLength(5);
});

test('a copy that is not empty reports its state once, and reading continues from there', async () => {
  const beginCalls: string[] = [];
  const { follower, applied, put } = follow({
    begin: async (modelId) => {
      beginCalls.push(modelId);
      return 3;
    },
  });
  await follower.catchUp('m', put(5));
  await follower.catchUp('m', put(1));
  expect(beginCalls).toEqual(['m']);
  expect(applied).toEqual([4, 5, 6]);
});

test('a failed read resumes where it stopped', async () => {
  let failures = 1;
  const applied: number[] = [];
  const { follower, put } = follow({
    apply: async (_modelId, changes) => {
      if (applied.length > 0 && failures-- > 0) throw new Error('unavailable');
      applied.push(...changes.map(({ sequence }) => sequence));
    },
  });
  const asOf = put(batchSize + 1);
  await expect(follower.catchUp('m', asOf)).rejects.toThrow('unavailable');
  await follower.catchUp('m', asOf);
  expect(applied).toHaveLength(asOf);
});

test('all stored embeddings are returned in batches', async () => {
  const { follower, put } = follow();
  put(2 * batchSize);
  const sizes: number[] = [];
  for await (const changes of follower.all('m')) sizes.push(changes.length);
  expect(sizes).toEqual([batchSize, batchSize, 0]);
});

test('nothing is read after closing begins', async () => {
  const closing = new AbortController();
  const { follower, put, reads } = follow({ apply: () => closing.abort(new Error('closed')) }, closing.signal);
  await expect(follower.catchUp('m', put(batchSize + 1))).rejects.toThrow('closed');
  expect(reads()).toBe(1);
});

test('a search that arrives while `end` runs waits for it', async () => {
  const ending = Promise.withResolvers<void>();
  const endCalled = Promise.withResolvers<void>();
  const { follower, put, reads } = follow({
    end: async () => {
      endCalled.resolve();
      await ending.promise;
    },
  });
  const asOf = put(batchSize + 3);
  const first = follower.catchUp('m', asOf);
  await endCalled.promise;
  expect(follower.isUpTo('m', 1)).toBe(false);
  let isUpToDate = false;
  const second = follower.catchUp('m', asOf).then(() => (isUpToDate = true));
  await new Promise(setImmediate);
  expect(isUpToDate).toBe(false);
  ending.resolve();
  await Promise.all([first, second]);
  expect(follower.isUpTo('m', asOf)).toBe(true);
  expect(reads()).toBe(2);
});

test('after `end` failed, the next search calls it again, and nothing is applied twice', async () => {
  let endCalls = 0;
  const { follower, applied, put } = follow({
    end: async () => {
      endCalls += 1;
      if (endCalls === 1) throw new Error('out of memory');
    },
  });
  const asOf = put(3);
  await expect(follower.catchUp('m', asOf)).rejects.toThrow('out of memory');
  expect(follower.isUpTo('m', asOf)).toBe(false);
  await follower.catchUp('m', asOf);
  expect(endCalls).toBe(2);
  expect(applied).toEqual([1, 2, 3]);
});
