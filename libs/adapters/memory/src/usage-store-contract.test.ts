import { usageStoreContract } from '@portico/contracts';
import { noUses, type UsageFilter, type UsageLine } from '@portico/domain';
import { breachesOf, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, collectionUses, profileUses, prune, report } = breachesOf('usage');

/** Creates reports using a changed filter. */
const mapFilter = (other: (filter: UsageFilter) => UsageFilter) =>
  report.mapArguments(([by, filter, limit]) => [by, other(filter), limit]);

/** Changes a report's lines. */
const mapReport = (alter: (lines: readonly UsageLine[]) => readonly UsageLine[]) =>
  report.replaceWith(async ([by, filter, limit], original) =>
    alter(await original.report(by, filter, 99)).slice(0, limit),
  );

const reverse = (lines: readonly UsageLine[]) => [...lines].reverse();

proveStores('the memory usage store', usageStoreContract, {
  'the counts of each kind are summed by day': add.mapArguments(([uses]) => [
    uses.map((use) => ({ ...use, counts: { ...use.counts, slice: use.counts.search, search: use.counts.slice } })),
  ]),
  'uses for the same day, profile and collection add up': add.runBefore(({ uses }) => uses.clear()),
  'no concurrent addition is lost': add.runOnStaleState(({ uses }) => {
    const restore = saveEntries(uses);
    return () => {
      uses.clear();
      restore();
    };
  }),
  'uses of a missing profile or collection are left out, and the rest is stored': add.replaceWith(
    async ([added], original, _database, { profiles, collections }) => {
      for (const { profileId, collectionId } of added) {
        if (!(await profiles.find(profileId))) return;
        if (collectionId && !(await collections.find(collectionId))) return;
      }
      await original.add(added);
    },
  ),
  'adding nothing changes nothing': add.replaceWith(async ([added], original, _database, { profiles }) => {
    const [profile] = await profiles.list();
    if (added.length > 0 || !profile) return original.add(added);
    const counts = { ...noUses, read: 1 };
    const nothing = { day: 1, collectionId: null, counts, lastUsedAt: 1, keyUsedAt: null };
    await original.add([{ ...nothing, profileId: profile.id }]);
  }),
  'the counts of a profile are removed with it': breachesOf('profiles').remove.restoreAfter(({ uses }) =>
    saveEntries(uses),
  ),
  'the counts of a collection are removed with it': breachesOf('collections').remove.restoreAfter(({ uses }) =>
    saveEntries(uses),
  ),
  'days are reported oldest first': mapReport(reverse),
  'collections are reported by name, ignoring case, followed by uses without a collection': mapReport((lines) =>
    [...lines].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  ),
  'profiles are reported by e-mail': mapReport(reverse),
  'a report includes its first day and excludes its end': mapFilter((filter) => ({
    ...filter,
    first: filter.first + 1,
    end: filter.end + 1,
  })),
  'a report covers one profile, one collection, or both': mapFilter((filter) =>
    filter.profileId === null ? filter : { ...filter, collectionId: null },
  ),
  'a report has no lines without uses': report.replaceWith(async ([by, filter, limit], original, { uses }) => {
    for (const [key, use] of uses)
      if (use.counts.read === 0) uses.set(key, { ...use, counts: { ...noUses, slice: 1 } });
    const lines = await original.report(by, filter, limit);
    return lines.map((line) => (line.counts.slice > 0 ? { ...line, counts: noUses } : line));
  }),
  'a report has at most the requested number of lines': report.mapArguments(([by, filter, , order]) => [
    by,
    filter,
    99,
    order,
  ]),
  'a report can be sorted by uses, most first, with ties in the usual order': report.replaceWith(
    async ([by, filter, limit], original) => (await original.report(by, filter, limit, 'subject')).toReversed(),
  ),
  'the last use of a profile is its latest use of any kind, and that of its key its latest use by key':
    profileUses.mapResult(
      (uses) => new Map([...uses].map(([id, use]) => [id, { ...use, keyUsedAt: use.keyUsedAt && use.lastUsedAt }])),
    ),
  'the last use of a collection is the latest by anyone, or by one profile': collectionUses.mapArguments(([ids]) => [
    ids,
    null,
  ]),
  'the times of the last use only increase': add.runAfter(({ uses }, [[first]]) => {
    for (const [key, use] of uses) uses.set(key, { ...use, lastUsedAt: first?.lastUsedAt ?? use.lastUsedAt });
  }),
  'pruning removes the counts of days before the given one, oldest first, up to its limit': prune.mapArguments(
    ([before, limit]) => [before + 1, limit],
  ),
});

const nameOf = ({ of }: UsageLine): string => (of.by === 'collection' ? (of.collectionName ?? '~') : '');
