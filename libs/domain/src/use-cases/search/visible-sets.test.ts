import { expect, test } from 'vitest';
import type { Principal } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import { createVisibleSets } from './visible-sets.ts';

/** Creates visible sets for callers who see `size` collections each, and records the callers whose sets were read. */
const setUp = (size: number) => {
  const reads: string[] = [];
  const ids = Array.from({ length: size }, (_, i) => String(i) as CollectionId);
  const visibleSets = createVisibleSets({
    collections: {
      visibleIds: async (visibility: { of: string; to?: string }) => {
        reads.push(visibility.to ?? visibility.of);
        return [...ids];
      },
    } as unknown as Parameters<typeof createVisibleSets>[0]['collections'],
  });
  return { reads, see: (id: string, version = 0) => visibleSets(callerOf(id, version)) };
};

const callerOf = (id: string, version: number) =>
  ({
    profile: { id, role: 'client', status: 'approved' },
    epochs: { catalog: version, grants: 0, groups: 0 },
    accessUntil: null,
    readAt: 0,
  }) as unknown as Principal;

test('a set is read once, and again after its version has changed', async () => {
  const { reads, see } = setUp(3);
  const first = await see('ada');
  expect(await see('ada')).toBe(first);
  expect(await see('ada', 1)).not.toBe(first);
  expect(reads).toEqual(['ada', 'ada']);
});

test('sets are cached up to 64 MiB, and the least recently used is evicted first', async () => {
  // With 100 bytes per id and 500 per set, eight sets fit.
  const { reads, see } = setUp(83_880);
  const names = Array.from({ length: 8 }, (_, i) => `caller ${i}`);
  for (const name of names) await see(name);
  for (const name of names) await see(name);
  expect(reads).toEqual(names);
  await see('one more');
  await see('caller 1');
  expect(reads).toEqual([...names, 'one more']);
  await see('caller 0');
  expect(reads).toEqual([...names, 'one more', 'caller 0']);
});

test('a new version replaces the previous one', async () => {
  const { reads, see } = setUp(83_880);
  await see('bob');
  for (let version = 0; version < 20; version++) await see('ada', version);
  await see('bob');
  expect(reads.filter((name) => name === 'bob')).toEqual(['bob']);
});

test('a set that exceeds the limit is cached until the next one', async () => {
  const { reads, see } = setUp(900_000);
  await see('ada');
  await see('ada');
  expect(reads).toEqual(['ada']);
  await see('bob');
  await see('ada');
  expect(reads).toEqual(['ada', 'bob', 'ada']);
});
