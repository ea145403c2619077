import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf } from './batches.ts';

const pair = fc.record({ profile: fc.constantFrom('a', 'b', 'c'), collection: fc.constantFrom('x', 'y', 'z') });
const keyOf = ({ profile, collection }: { profile: string; collection: string }) => `${profile} ${collection}`;

test('batches contain exactly the selected pairs', () => {
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const batchedPairs = batchesOf(pairs).flatMap(({ profiles, collections }) =>
        profiles.flatMap((profile) => collections.map((collection) => keyOf({ profile, collection }))),
      );
      expect(batchedPairs.toSorted()).toEqual([...new Set(pairs.map(keyOf))].toSorted());
    }),
  );
});

test('people with the same APIs share a batch', () => {
  const pairs = ['a', 'b'].flatMap((profile) => ['x', 'y'].map((collection) => ({ profile, collection })));
  expect(batchesOf([...pairs, { profile: 'c', collection: 'x' }])).toEqual([
    { profiles: ['a', 'b'], collections: ['x', 'y'] },
    { profiles: ['c'], collections: ['x'] },
  ]);
});
