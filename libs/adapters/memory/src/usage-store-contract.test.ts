import { usageStoreContract } from '@portico/contracts';
import { noUses, type UsageFilter, type UsageLine } from '@portico/domain';
import { breachesOf, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, collectionUses, profileUses, prune, report } = breachesOf('usage');

/** Reports under another filter. */
const filtering = (other: (filter: UsageFilter) => UsageFilter) =>
  report.asking(([by, filter, limit]) => [by, other(filter), limit]);

/** Reports with other lines. */
const reporting = (alter: (lines: readonly UsageLine[]) => readonly UsageLine[]) =>
  report.instead(async ([by, filter, limit], right) => alter(await right.report(by, filter, 99)).slice(0, limit));

const backwards = (lines: readonly UsageLine[]) => [...lines].reverse();

proveStores('the memory usage store', usageStoreContract, {
  'the counts of each kind are summed up by day': add.asking(([uses]) => [
    uses.map((use) => ({ ...use, counts: { ...use.counts, slice: use.counts.search, search: use.counts.slice } })),
  ]),
  'what is added for the same day, profile and collection adds up': add.preceded(({ uses }) => uses.clear()),
  'of concurrent additions none is lost': add.racing(({ uses }) => {
    const restore = restoring(uses);
    return () => {
      uses.clear();
      restore();
    };
  }),
  'what is about a missing profile or collection is left out, and the rest is kept': add.instead(
    async ([added], right, _database, { profiles, collections }) => {
      for (const { profileId, collectionId } of added) {
        if (!(await profiles.find(profileId))) return;
        if (collectionId && !(await collections.find(collectionId))) return;
      }
      await right.add(added);
    },
  ),
  'adding nothing changes nothing': add.instead(async ([added], right, _database, { profiles }) => {
    const [profile] = await profiles.list();
    if (added.length > 0 || !profile) return right.add(added);
    const counts = { ...noUses, read: 1 };
    const nothing = { day: 1, collectionId: null, counts, lastUsedAt: 1, keyUsedAt: null };
    await right.add([{ ...nothing, profileId: profile.id }]);
  }),
  'the counts go with the profile': breachesOf('profiles').remove.leaving(({ uses }) => restoring(uses)),
  'the counts go with the collection': breachesOf('collections').remove.leaving(({ uses }) => restoring(uses)),
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
  'a report has no lines without uses': report.instead(async ([by, filter, limit], right, { uses }) => {
    for (const [key, use] of uses)
      if (use.counts.read === 0) uses.set(key, { ...use, counts: { ...noUses, slice: 1 } });
    const lines = await right.report(by, filter, limit);
    return lines.map((line) => (line.counts.slice > 0 ? { ...line, counts: noUses } : line));
  }),
  'a report has at most as many lines as asked for': report.asking(([by, filter, , order]) => [by, filter, 99, order]),
  'a report can begin with those of most uses, of equal ones in the other order': report.instead(
    async ([by, filter, limit], right) => (await right.report(by, filter, limit, 'subject')).toReversed(),
  ),
  'the last use of a profile is its latest with anything, and that of its key its latest by key': profileUses.returning(
    (found) => new Map([...found].map(([id, use]) => [id, { ...use, keyUsedAt: use.keyUsedAt && use.lastUsedAt }])),
  ),
  'the last use of a collection is the latest by anyone, or by one profile': collectionUses.asking(([ids]) => [
    ids,
    null,
  ]),
  'the instants of the last use only grow': add.followed(({ uses }, [[first]]) => {
    for (const [key, use] of uses) uses.set(key, { ...use, lastUsedAt: first?.lastUsedAt ?? use.lastUsedAt });
  }),
  'pruning removes the counts of days before the given one, oldest first, up to its limit': prune.asking(
    ([before, limit]) => [before + 1, limit],
  ),
});

const nameOf = ({ of }: UsageLine): string => (of.by === 'collection' ? (of.collectionName ?? '~') : '');
