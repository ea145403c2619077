import { expect, test } from 'vitest';
import type { CollectionId } from '../../ids.ts';
import { createKnownNames } from './known-names.ts';

const [one, two] = ['1', '2'] as CollectionId[] as [CollectionId, CollectionId];

const start = () => {
  const names = new Map([[one, 'One']]);
  const asked: CollectionId[][] = [];
  const known = createKnownNames({
    collections: {
      names: async (ids: readonly CollectionId[]) => {
        asked.push([...ids]);
        return new Map([...names].filter(([id]) => ids.includes(id)));
      },
    } as never,
  });
  return { names, asked, known };
};

test('a name is read once in an epoch, and again after it', async () => {
  const { names, asked, known } = start();
  expect([...(await known([one], 1))]).toEqual([[one, 'One']]);
  names.set(two, 'Two');
  expect((await known([one, two], 1)).get(two)).toBe('Two');
  names.set(one, 'Uno');
  expect((await known([one], 1)).get(one)).toBe('One');
  expect((await known([one], 2)).get(one)).toBe('Uno');
  expect(asked).toEqual([[one], [two], [one]]);
});

test('a request from before a change neither uses nor keeps what is newer', async () => {
  const { names, asked, known } = start();
  await known([one], 2);
  names.set(one, 'Uno');
  expect((await known([one], 1)).get(one)).toBe('Uno');
  expect((await known([one], 2)).get(one)).toBe('One');
  expect(asked).toEqual([[one], [one]]);
});

test('what is gone has no name, and is asked for again', async () => {
  const { asked, known } = start();
  expect((await known([two], 1)).has(two)).toBe(false);
  await known([two], 1);
  expect(asked).toHaveLength(2);
});
