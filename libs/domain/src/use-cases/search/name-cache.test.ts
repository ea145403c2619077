import { expect, test } from 'vitest';
import type { CollectionId } from '../../ids.ts';
import { createNameCache } from './name-cache.ts';

const [one, two] = ['1', '2'] as CollectionId[] as [CollectionId, CollectionId];

const start = () => {
  const names = new Map([[one, 'One']]);
  const reads: CollectionId[][] = [];
  const readNames = createNameCache({
    collections: {
      names: async (ids: readonly CollectionId[]) => {
        reads.push([...ids]);
        return new Map([...names].filter(([id]) => ids.includes(id)));
      },
    } as never,
  });
  return { names, asked: reads, known: readNames };
};

test('a name is read once per epoch, and again in the next one', async () => {
  const { names, asked: reads, known: readNames } = start();
  expect([...(await readNames([one], 1))]).toEqual([[one, 'One']]);
  names.set(two, 'Two');
  expect((await readNames([one, two], 1)).get(two)).toBe('Two');
  names.set(one, 'Uno');
  expect((await readNames([one], 1)).get(one)).toBe('One');
  expect((await readNames([one], 2)).get(one)).toBe('Uno');
  expect(reads).toEqual([[one], [two], [one]]);
});

test('a request admitted before a change neither uses nor replaces newer names', async () => {
  const { names, asked: reads, known: readNames } = start();
  await readNames([one], 2);
  names.set(one, 'Uno');
  expect((await readNames([one], 1)).get(one)).toBe('Uno');
  expect((await readNames([one], 2)).get(one)).toBe('One');
  expect(reads).toEqual([[one], [one]]);
});

test('a removed collection has no name, and is looked up again', async () => {
  const { asked: reads, known: readNames } = start();
  expect((await readNames([two], 1)).has(two)).toBe(false);
  await readNames([two], 1);
  expect(reads).toHaveLength(2);
});
