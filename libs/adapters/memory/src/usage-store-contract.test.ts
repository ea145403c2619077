import { usageStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import { type DayUse, noUses, type UsageFilter, type UsageLine, type UsageStore } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Adds something else than was given. */
const adding = (alter: (uses: readonly DayUse[]) => readonly DayUse[]) =>
  breaking('usage', (right) => ({ add: (uses) => right.add(alter(uses)) }));

/** Reports under another filter. */
const filtering = (other: (filter: UsageFilter) => UsageFilter) =>
  breaking('usage', (right) => ({ report: (by, filter, limit) => right.report(by, other(filter), limit) }));

/** Reports with other lines. */
const reporting = (alter: (lines: readonly UsageLine[]) => readonly UsageLine[]) =>
  breaking('usage', (right) => ({
    report: async (by, filter, limit) => alter(await right.report(by, filter, 99)).slice(0, limit),
  }));

/** Keeps the counts of what is removed, under the same keys. */
const keeping = (port: 'profiles' | 'collections') =>
  breaking(port, (right, _stores, { uses }) => ({
    remove: async (id: never, decide: never) => {
      const before = [...uses];
      await right.remove(id, decide);
      for (const [key, use] of before) uses.set(key, use);
    },
  }));

const backwards = (lines: readonly UsageLine[]) => [...lines].reverse();

const prunings = (other: (before: number, limit: number) => Parameters<UsageStore['prune']>) =>
  breaking('usage', (right) => ({ prune: (before, limit) => right.prune(...other(before, limit)) }));

const sabotages: Sabotages<typeof usageStoreContract, Stores> = {
  'the counts of each kind are summed up by day': adding((uses) =>
    uses.map((use) => ({ ...use, counts: { ...use.counts, slice: use.counts.search, search: use.counts.slice } })),
  ),
  'what is added for the same day, profile and collection adds up': breaking('usage', (right, _stores, { uses }) => ({
    add: (added) => {
      uses.clear();
      return right.add(added);
    },
  })),
  'of concurrent additions none is lost': breaking('usage', (right, _stores, { uses }) => ({
    add: async (added) => {
      const before = [...uses];
      await pause();
      uses.clear();
      for (const [key, use] of before) uses.set(key, use);
      await right.add(added);
    },
  })),
  'what is about a missing profile or collection is left out, and the rest is kept': breaking(
    'usage',
    (right, { profiles, collections }) => ({
      add: async (added) => {
        for (const { profileId, collectionId } of added) {
          if (!(await profiles.find(profileId))) return;
          if (collectionId && !(await collections.find(collectionId))) return;
        }
        await right.add(added);
      },
    }),
  ),
  'adding nothing changes nothing': breaking('usage', (right, { profiles }) => ({
    add: async (added) => {
      const [profile] = await profiles.list();
      if (added.length > 0 || !profile) return right.add(added);
      const counts = { ...noUses, read: 1 };
      const nothing = { day: 1, collectionId: null, counts, lastUsedAt: 1, keyUsedAt: null };
      await right.add([{ ...nothing, profileId: profile.id }]);
    },
  })),
  'the counts go with the profile': keeping('profiles'),
  'the counts go with the collection': keeping('collections'),
  'days are reported oldest first': reporting(backwards),
  'collections are reported by name without regard to case, then the uses of none': reporting((lines) =>
    [...lines].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  ),
  'profiles are reported by e-mail': reporting(backwards),
  'a report covers the first of its days and not its end': filtering((filter) => ({
    ...filter,
    first: filter.first + 1,
    end: filter.end + 1,
  })),
  'a report covers one profile, one collection, or both': filtering((filter) =>
    filter.profileId === null ? filter : { ...filter, collectionId: null },
  ),
  'a report has no lines without uses': breaking('usage', (right, _stores, { uses }) => ({
    report: async (by, filter, limit) => {
      for (const [key, use] of uses)
        if (use.counts.read === 0) uses.set(key, { ...use, counts: { ...noUses, slice: 1 } });
      const lines = await right.report(by, filter, limit);
      return lines.map((line) => (line.counts.slice > 0 ? { ...line, counts: noUses } : line));
    },
  })),
  'a report has at most as many lines as asked for': breaking('usage', (right) => ({
    report: (by, filter, _limit, order) => right.report(by, filter, 99, order),
  })),
  'a report can begin with those of most uses, of equal ones in the other order': breaking('usage', (right) => ({
    report: async (by, filter, limit) => (await right.report(by, filter, limit, 'subject')).toReversed(),
  })),
  'the last use of a profile is its latest with anything, and that of its key its latest by key': breaking(
    'usage',
    (right) => ({
      profileUses: async (ids) => {
        const found = [...(await right.profileUses(ids))];
        return new Map(found.map(([id, use]) => [id, { ...use, keyUsedAt: use.keyUsedAt && use.lastUsedAt }]));
      },
    }),
  ),
  'the last use of a collection is the latest by anyone, or by one profile': breaking('usage', (right) => ({
    collectionUses: (ids) => right.collectionUses(ids, null),
  })),
  'the instants of the last use only grow': breaking('usage', (right, _stores, { uses }) => ({
    add: async (added) => {
      await right.add(added);
      for (const [key, use] of uses) uses.set(key, { ...use, lastUsedAt: added[0]?.lastUsedAt ?? use.lastUsedAt });
    },
  })),
  'pruning removes the counts of days before the given one, oldest first, up to its limit': prunings(
    (before, limit) => [before + 1, limit],
  ),
};

const nameOf = ({ of }: UsageLine): string => (of.by === 'collection' ? (of.collectionName ?? '~') : '');

describe('the memory usage store', () => {
  proveContract(usageStoreContract, sabotages, createMemoryStores);
});
