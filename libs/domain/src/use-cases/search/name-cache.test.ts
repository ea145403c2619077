import { expect, test } from 'vitest';
import type { CollectionId } from '../../ids.ts';
import { createNameCache } from './name-cache.ts';

const [firstId, secondId] = ['1', '2'] as CollectionId[] as [CollectionId, CollectionId];

const setUp = () => {
  const names = new Map([[firstId, 'One']]);
  const reads: CollectionId[][] = [];
  const readNames = createNameCache({
    collections: {
      findNames: async (ids: readonly CollectionId[]) => {
        reads.push([...ids]);
        return new Map([...names].filter(([id]) => ids.includes(id)));
      },
    } as never,
  });
  return { names, reads, readNames };
};

test('a name is read once per epoch, and again in the next one', async () => {
  const { names, reads, readNames } = setUp();
  expect([...(await readNames([firstId], 1))]).toEqual([[firstId, 'One']]);
  names.set(secondId, 'Two');
  expect((await readNames([firstId, secondId], 1)).get(secondId)).toBe('Two');
  names.set(firstId, 'Uno');
  expect((await readNames([firstId], 1)).get(firstId)).toBe('One');
  expect((await readNames([firstId], 2)).get(firstId)).toBe('Uno');
  expect(reads).toEqual([[firstId], [secondId], [firstId]]);
});

test('a request admitted before a change neither uses nor replaces newer names', async () => {
  const { names, reads, readNames } = setUp();
  await readNames([firstId], 2);
  names.set(firstId, 'Uno');
  expect((await readNames([firstId], 1)).get(firstId)).toBe('Uno');
  expect((await readNames([firstId], 2)).get(firstId)).toBe('One');
  expect(reads).toEqual([[firstId], [firstId]]);
});

test('a removed collection has no name, and is looked up again', async () => {
  const { reads, readNames } = setUp();
  expect((await readNames([secondId], 1)).has(secondId)).toBe(false);
  await readNames([secondId], 1);
  expect(reads).toHaveLength(2);
});
