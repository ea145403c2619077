import { createEmbeddingChanges, createVectorTowards } from '@portico/contracts';
import type { CollectionId, EmbeddingChange } from '@portico/domain';
import { expect, test } from 'vitest';
import { Follower, type FollowerCopy } from './follower.ts';

const batchSize = 8;

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

const follow = (copy: Partial<FollowerCopy<EmbeddingChange>> = {}, closeSignal?: AbortSignal) => {
  const store = createEmbeddingChanges();
  const appliedSequences: number[] = [];
  let readCount = 0;
  const follower = new Follower(
    {
      listChangedSince: async (after, modelId, limit) => {
        readCount += 1;
        return store.listChangedSince(after, modelId, limit);
      },
    },
    batchSize,
    { apply: (_modelId, changes) => void appliedSequences.push(...changes.map(({ sequence }) => sequence)), ...copy },
    closeSignal,
  );
  let storedCount = 0;
  const put = (count: number, modelId = 'm'): number => {
    let asOf = 0;
    for (const last = storedCount + count; storedCount < last; storedCount += 1) {
      asOf = store.put({ modelId, collectionId: idOf(storedCount), vector: createVectorTowards(1, storedCount) });
    }
    return asOf;
  };
  return { follower, appliedSequences, put, countReads: () => readCount };
};

test('each embedding of the requested model is applied once, in order', async () => {
  const { follower, appliedSequences, put } = follow();
  const asOf = put(batchSize + 3);
  const laterAsOf = put(2, 'other');
  await follower.catchUp('m', laterAsOf);
  expect(appliedSequences).toEqual(Array.from({ length: asOf }, (_, i) => i + 1));
  expect(follower.isCompleteUpTo('m', laterAsOf)).toBe(true);
  expect(follower.isCompleteUpTo('other', 1)).toBe(false);
});

test('simultaneous searches share one read, and known embeddings are not read again', async () => {
  const { follower, appliedSequences, put, countReads } = follow();
  const asOf = put(5);
  await Promise.all([follower.catchUp('m', asOf), follower.catchUp('m', asOf), follower.catchUp('m', 2)]);
  await follower.catchUp('m', asOf);
  expect(countReads()).toBe(1);
  expect(appliedSequences).toHaveLength(5);
});

test('a copy that was filled elsewhere is complete up to its sequence number, and only later changes are read', async () => {
  const { follower, appliedSequences, put, countReads } = follow();
  const asOf = put(3);
  follower.continueAfter('m', asOf);
  expect(follower.isCompleteUpTo('m', asOf)).toBe(true);
  await follower.catchUp('m', asOf);
  expect(countReads()).toBe(0);
  await follower.catchUp('m', put(1));
  expect(appliedSequences).toEqual([asOf + 1]);
});

test('a copy that is not empty reports its state once, and reading continues from there', async () => {
  const beginCalls: string[] = [];
  const { follower, appliedSequences, put } = follow({
    begin: async (modelId) => {
      beginCalls.push(modelId);
      return 3;
    },
  });
  await follower.catchUp('m', put(5));
  await follower.catchUp('m', put(1));
  expect(beginCalls).toEqual(['m']);
  expect(appliedSequences).toEqual([4, 5, 6]);
});

test('a failed read resumes where it stopped', async () => {
  let failures = 1;
  const appliedSequences: number[] = [];
  const { follower, put } = follow({
    apply: async (_modelId, changes) => {
      if (appliedSequences.length > 0 && failures-- > 0) throw new Error('unavailable');
      appliedSequences.push(...changes.map(({ sequence }) => sequence));
    },
  });
  const asOf = put(batchSize + 1);
  await expect(follower.catchUp('m', asOf)).rejects.toThrow('unavailable');
  await follower.catchUp('m', asOf);
  expect(appliedSequences).toHaveLength(asOf);
});

test('all stored embeddings are returned in batches', async () => {
  const { follower, put } = follow();
  put(2 * batchSize);
  const sizes: number[] = [];
  for await (const changes of follower.readAll('m')) sizes.push(changes.length);
  expect(sizes).toEqual([batchSize, batchSize, 0]);
});

test('nothing is read after closing begins', async () => {
  const closeController = new AbortController();
  const { follower, put, countReads } = follow(
    { apply: () => closeController.abort(new Error('closed')) },
    closeController.signal,
  );
  await expect(follower.catchUp('m', put(batchSize + 1))).rejects.toThrow('closed');
  expect(countReads()).toBe(1);
});

test('a search that arrives while `end` runs waits for it', async () => {
  const ending = Promise.withResolvers<void>();
  const endCalled = Promise.withResolvers<void>();
  const { follower, put, countReads } = follow({
    end: async () => {
      endCalled.resolve();
      await ending.promise;
    },
  });
  const asOf = put(batchSize + 3);
  const firstSearch = follower.catchUp('m', asOf);
  await endCalled.promise;
  expect(follower.isCompleteUpTo('m', 1)).toBe(false);
  let isUpToDate = false;
  const secondSearch = follower.catchUp('m', asOf).then(() => (isUpToDate = true));
  await new Promise(setImmediate);
  expect(isUpToDate).toBe(false);
  ending.resolve();
  await Promise.all([firstSearch, secondSearch]);
  expect(follower.isCompleteUpTo('m', asOf)).toBe(true);
  expect(countReads()).toBe(2);
});

test('if `end` fails, the next search calls it again, and nothing is applied twice', async () => {
  let endCalls = 0;
  const { follower, appliedSequences, put } = follow({
    end: async () => {
      endCalls += 1;
      if (endCalls === 1) throw new Error('out of memory');
    },
  });
  const asOf = put(3);
  await expect(follower.catchUp('m', asOf)).rejects.toThrow('out of memory');
  expect(follower.isCompleteUpTo('m', asOf)).toBe(false);
  await follower.catchUp('m', asOf);
  expect(endCalls).toBe(2);
  expect(appliedSequences).toEqual([1, 2, 3]);
});
