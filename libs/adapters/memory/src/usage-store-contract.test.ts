import { operationUsageContract, usageStoreContract } from '@portico/contracts';
import { noUses, operationsPerDayMax, type UsageFilter, type UsageLine } from '@portico/domain';
import { breachesOf, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, addOperations, findCollectionUses, findProfileUses, listOperationUsers, prune, pruneOperations, report } =
  breachesOf('usage');

/** Creates reports using a changed filter. */
const mapFilter = (change: (filter: UsageFilter) => UsageFilter) =>
  report.mapArguments(([grouping, filter, limit]) => [grouping, change(filter), limit]);

/** Changes a report's lines. */
const mapReport = (alter: (lines: readonly UsageLine[]) => readonly UsageLine[]) =>
  report.replaceWith(async ([grouping, filter, limit], original) =>
    alter(await original.report(grouping, filter, 99)).slice(0, limit),
  );

const reverse = (lines: readonly UsageLine[]) => [...lines].reverse();

proveStores('the memory usage store', usageStoreContract, {
  'the counts of each kind are summed by day': add.mapArguments(([uses]) => [
    uses.map((use) => ({ ...use, counts: { ...use.counts, slice: use.counts.search, search: use.counts.slice } })),
  ]),
  'uses with the same day, profile and collection are added up': add.runBefore(({ uses }) => uses.clear()),
  'concurrently added uses are all counted': add.runOnStaleState(({ uses }) => {
    const restore = saveEntries(uses);
    return () => {
      uses.clear();
      restore();
    };
  }),
  'uses of a missing profile or collection are left out, and the others are stored': add.replaceWith(
    async ([newUses], original, _database, { profiles, collections }) => {
      for (const { profileId, collectionId } of newUses) {
        if (!(await profiles.find(profileId))) return;
        if (collectionId && !(await collections.find(collectionId))) return;
      }
      await original.add(newUses);
    },
  ),
  'adding nothing changes nothing': add.replaceWith(async ([newUses], original, _database, { profiles }) => {
    const [profile] = await profiles.list();
    if (newUses.length > 0 || !profile) return original.add(newUses);
    const counts = { ...noUses, read: 1 };
    const emptyUse = { day: 1, collectionId: null, counts, lastUsedAt: 1, keyUsedAt: null };
    await original.add([{ ...emptyUse, profileId: profile.id }]);
  }),
  'removing a profile removes its counts': breachesOf('profiles').remove.restoreAfter(({ uses }) => saveEntries(uses)),
  'removing a collection removes its counts': breachesOf('collections').remove.restoreAfter(({ uses }) =>
    saveEntries(uses),
  ),
  'days are reported oldest first': mapReport(reverse),
  'collections are reported by name, ignoring case, followed by uses without a collection': mapReport((lines) =>
    [...lines].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  ),
  'profiles are reported by email': mapReport(reverse),
  'a report includes its first day and excludes its end': mapFilter((filter) => ({
    ...filter,
    first: filter.first + 1,
    end: filter.end + 1,
  })),
  'a report covers one profile, one collection, or both': mapFilter((filter) =>
    filter.profileId === null ? filter : { ...filter, collectionId: null },
  ),
  'a report does not contain lines without uses': report.replaceWith(
    async ([grouping, filter, limit], original, { uses }) => {
      for (const [key, use] of uses)
        if (use.counts.read === 0) uses.set(key, { ...use, counts: { ...noUses, slice: 1 } });
      const lines = await original.report(grouping, filter, limit);
      return lines.map((line) => (line.counts.slice > 0 ? { ...line, counts: noUses } : line));
    },
  ),
  'a report has at most the requested number of lines': report.mapArguments(([grouping, filter, , order]) => [
    grouping,
    filter,
    99,
    order,
  ]),
  'a report can be sorted by the number of uses, highest first, with equal lines in the usual order':
    report.replaceWith(async ([grouping, filter, limit], original) =>
      (await original.report(grouping, filter, limit, 'subject')).toReversed(),
    ),
  'the last use of a profile is its latest use of any kind, and the last use of its key is its latest use by key':
    findProfileUses.mapResult(
      (uses) => new Map([...uses].map(([id, use]) => [id, { ...use, keyUsedAt: use.keyUsedAt && use.lastUsedAt }])),
    ),
  'the last use of a collection is its latest use by anyone or by one profile': findCollectionUses.mapArguments(
    ([ids]) => [ids, null],
  ),
  'the time of the last use never decreases': add.runAfter(({ uses }, [[first]]) => {
    for (const [key, use] of uses) uses.set(key, { ...use, lastUsedAt: first?.lastUsedAt ?? use.lastUsedAt });
  }),
  'pruning removes the counts of days before the given day, oldest first, up to the limit': prune.mapArguments(
    ([before, limit]) => [before + 1, limit],
  ),
});

proveStores('the memory usage store, for operations', operationUsageContract, {
  'the users of operations are those since a time, each once, and not those of other operations or collections':
    listOperationUsers.mapArguments(([collection, operations, since, limit]) => [
      collection,
      operations,
      since + 1,
      limit,
    ]),
  'slices and calls of an operation are added up by day and profile': addOperations.runBefore(({ operationUses }) =>
    operationUses.clear(),
  ),
  'concurrently added uses of operations are all counted': addOperations.runOnStaleState(({ operationUses }) => {
    const restore = saveEntries(operationUses);
    return () => {
      operationUses.clear();
      restore();
    };
  }),
  'uses of operations of a missing profile or collection are left out, and the others are stored':
    addOperations.replaceWith(async ([newUses], original, _database, { profiles, collections }) => {
      for (const { profileId, collectionId } of newUses)
        if (!(await profiles.find(profileId)) || !(await collections.find(collectionId))) return;
      await original.addOperations(newUses);
    }),
  'a profile has a maximum number of operations per day; beyond that, only those that have counts are counted':
    addOperations.replaceWith(async ([newUses], original, { operationUses }) => {
      const restore = saveEntries(operationUses);
      if (operationUses.size >= operationsPerDayMax) operationUses.clear();
      await original.addOperations(newUses);
      restore();
    }),
  'the maximum number of operations applies to concurrent additions together': addOperations.replaceWith(
    async ([newUses], original, { operationUses }) => {
      // Counts the stored operations before the others are added.
      const entries = [...operationUses];
      await Promise.resolve();
      const addedEntries = [...operationUses].filter(([key]) => !entries.some(([earlierKey]) => earlierKey === key));
      for (const [key] of addedEntries) operationUses.delete(key);
      await original.addOperations(newUses);
      for (const [key, use] of addedEntries) operationUses.set(key, use);
    },
  ),
  'removing a profile removes its counts of operations': breachesOf('profiles').remove.restoreAfter(
    ({ operationUses }) => saveEntries(operationUses),
  ),
  'removing a collection removes the counts of its operations, and removing an operation does not': breachesOf(
    'operations',
  ).replace.runAfter(({ operationUses }) => operationUses.clear()),
  'operations are reported with method and path, by collection and as in the document, followed by removed operations':
    mapReport(reverse),
  'a report of operations has the requested days, profile, collection and number of lines': mapFilter((filter) => ({
    ...filter,
    profileId: null,
  })),
  'a report of operations does not contain lines without uses': addOperations.mapArguments(([uses]) => [
    uses.map((use) => ({ ...use, counts: { slice: use.counts.call, call: 1 } })),
  ]),
  'pruning removes the counts of operations of days before the given day, oldest first, up to the limit':
    pruneOperations.mapArguments(([before, limit]) => [before + 1, limit]),
});

const nameOf = ({ subject }: UsageLine): string => (subject.by === 'collection' ? (subject.collectionName ?? '~') : '');
