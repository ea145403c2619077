import { createEmbeddingChanges, createVectorTowards } from '@portico/contracts';
import { embeddingBatchSize } from '@portico/dependencies';
import type { CollectionId, EmbeddingChange } from '@portico/domain';
import { expect, test } from 'vitest';
import { CatchUp } from './catch-up.ts';
import { Blocks } from './blocks.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

/** The shape of all blocks, which these tests do not search. */
const shape = { count: 1, dimension: 768 };

/** Creates blocks that follow a store in which another process writes and deletes. */
const createSubject = () => {
  const embeddings = createEmbeddingChanges();
  const rows = new Blocks(({ vector }: EmbeddingChange) => ({ bytes: new Uint8Array(vector.buffer), shape }));
  let [reads, sweeps] = [0, 0];
  const catchUp = new CatchUp(
    {
      listChangedSince: async (after, modelId, limit) => {
        reads += 1;
        return embeddings.listChangedSince(after, modelId, limit);
      },
      listCollectionsAfter: async (after, modelId, limit) => {
        sweeps += after === null ? 1 : 0;
        return embeddings.listCollectionsAfter(after, modelId, limit);
      },
    },
    embeddingBatchSize,
    'm',
    rows,
  );
  let storedCount = 0;
  const putMore = (count: number): number => {
    let asOf = 0;
    for (const end = storedCount + count; storedCount < end; storedCount += 1) {
      asOf = embeddings.put({
        modelId: 'm',
        collectionId: idOf(storedCount),
        vector: createVectorTowards(1, storedCount),
      });
    }
    return asOf;
  };
  return { embeddings, rows, catchUp, putMore, counts: () => ({ reads, sweeps }) };
};

test('rows that another process deleted are removed once the rows have doubled', async () => {
  const { embeddings, rows, catchUp, putMore } = createSubject();
  await catchUp.read(putMore(1000));
  for (let i = 0; i < 900; i += 1) embeddings.remove(idOf(i));
  await catchUp.read(putMore(999));
  expect(rows.listCollections().length).toBe(1999);
  await catchUp.read(putMore(1));
  expect(rows.listCollections().length).toBe(1100);
  expect(rows.sequenceOf(idOf(899))).toBeUndefined();
  for (const number of [900, 1999]) expect(rows.sequenceOf(idOf(number))).toBeDefined();
});

test('rows do not grow without limit while collections are added and removed', async () => {
  const { embeddings, rows, catchUp, putMore } = createSubject();
  await catchUp.read(putMore(100));
  for (let round = 0; round < 40; round += 1) {
    await catchUp.read(putMore(100));
    for (let i = 0; i < 100; i += 1) embeddings.remove(idOf(round * 100 + i));
    expect(rows.listCollections().length).toBeLessThanOrEqual(1124);
  }
});

test('new vectors are found during a sweep', async () => {
  const { embeddings, rows, catchUp, putMore } = createSubject();
  await catchUp.read(putMore(1000));
  embeddings.remove(idOf(0));
  const asOf = putMore(1100);
  await Promise.all([catchUp.read(asOf), catchUp.read(asOf)]);
  expect(rows.sequenceOf(idOf(0))).toBeUndefined();
  expect(rows.listCollections().length).toBe(999 + 1100);
});

test('a sweep runs only when the rows have doubled, not with each embedding', async () => {
  const { catchUp, putMore, counts } = createSubject();
  await catchUp.read(putMore(600));
  // After an incomplete batch, no further read is needed.
  const { reads } = counts();
  for (let i = 0; i < 599; i += 1) await catchUp.read(putMore(1));
  expect(counts()).toEqual({ reads: reads + 599, sweeps: 0 });
  await catchUp.read(putMore(1));
  expect(counts()).toEqual({ reads: reads + 600, sweeps: 1 });
  await catchUp.read(putMore(1));
  expect(counts()).toEqual({ reads: reads + 601, sweeps: 1 });
});

test('an item that is removed while its batch is read is not restored', async () => {
  const { rows, catchUp, putMore } = createSubject();
  const reading = catchUp.read(putMore(100));
  catchUp.recordRemoval(idOf(3));
  rows.delete(idOf(3));
  await reading;
  expect(rows.sequenceOf(idOf(3))).toBeUndefined();
  expect(rows.listCollections().length).toBe(99);
});
