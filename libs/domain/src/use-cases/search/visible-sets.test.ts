import { expect, test } from 'vitest';
import type { Principal } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import { createVisibleSets } from './visible-sets.ts';

/** Creates visible sets for callers who see `size` collections each, and records the callers whose sets were read. */
const setUp = (size: number, inactive: ReadonlyMap<string, string> = new Map()) => {
  const reads: string[] = [];
  const ids = Array.from({ length: size }, (_, i) => String(i) as CollectionId);
  const visibleSets = createVisibleSets({
    collections: {
      listVisibleIds: async (visibility: { scope: string; profileId?: string }) => {
        reads.push(visibility.profileId ?? visibility.scope);
        return [...ids];
      },
      listInactive: async () => inactive,
    } as unknown as Parameters<typeof createVisibleSets>[0]['collections'],
  });
  return { reads, listVisible: (id: string, version = 0) => visibleSets(callerOf(id, version)) };
};

const callerOf = (id: string, version: number) =>
  ({
    profile: { id, role: 'client', status: 'approved' },
    epochs: { catalog: version, grants: 0, groups: 0 },
    accessUntil: null,
    readAt: 0,
  }) as unknown as Principal;

test('a set is read once, and again after its version has changed', async () => {
  const { reads, listVisible } = setUp(3);
  const firstIds = await listVisible('ada');
  expect(await listVisible('ada')).toBe(firstIds);
  expect(await listVisible('ada', 1)).not.toBe(firstIds);
  expect(reads).toEqual(['ada', 'ada']);
});

test('a set has no retired collections, and says which are deprecated', async () => {
  const { listVisible } = setUp(
    4,
    new Map([
      ['1', 'retired'],
      ['2', 'deprecated'],
      ['9', 'deprecated'],
    ]),
  );
  expect(await listVisible('ada')).toMatchObject({ ids: ['0', '2', '3'], deprecatedIds: new Set(['2']) });
});

test('sets are cached up to 64 MiB, and the least recently used is evicted first', async () => {
  // With 100 bytes per id and 500 per set, eight sets fit.
  const { reads, listVisible } = setUp(83_880);
  const names = Array.from({ length: 8 }, (_, i) => `caller ${i}`);
  for (const name of names) await listVisible(name);
  for (const name of names) await listVisible(name);
  expect(reads).toEqual(names);
  await listVisible('one more');
  await listVisible('caller 1');
  expect(reads).toEqual([...names, 'one more']);
  await listVisible('caller 0');
  expect(reads).toEqual([...names, 'one more', 'caller 0']);
});

test('a new version replaces the previous one', async () => {
  const { reads, listVisible } = setUp(83_880);
  await listVisible('bob');
  for (let version = 0; version < 20; version++) await listVisible('ada', version);
  await listVisible('bob');
  expect(reads.filter((name) => name === 'bob')).toEqual(['bob']);
});

test('a set that exceeds the limit is cached until the next one', async () => {
  const { reads, listVisible } = setUp(900_000);
  await listVisible('ada');
  await listVisible('ada');
  expect(reads).toEqual(['ada']);
  await listVisible('bob');
  await listVisible('ada');
  expect(reads).toEqual(['ada', 'bob', 'ada']);
});
