import { aGroup, groupStoreContract } from '@portico/contracts';
import { allGroups, type Group, type GroupId, PorticoError } from '@portico/domain';
import { breachesOf, updateEntry, ignoreErrors, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { add, listCollections, find, findByNames, list, remove, update } = breachesOf('groups');

const groupIn = ({ groups }: MemoryDatabase, id: GroupId): Group => {
  const group = groups.get(id);
  if (!group) throw new PorticoError('group_not_found');
  return group;
};

/** An update that neither waits for concurrent updates nor validates the change. */
const uncheckedUpdate = update.replaceWith(async ([id, decide], _original, database) => {
  const { group } = decide(groupIn(database, id), []);
  await pause();
  database.groups.set(id, group);
  return group;
});

/** Normalizes a name further than the contract allows. */
const foldName = (name: string): string => name.trim().normalize('NFC').toLowerCase();

proveStores('the memory group store', groupStoreContract, {
  'a group is found and listed exactly as it was added': list.mapResult((groups) =>
    groups.map((group) => ({ ...group, updatedAt: group.createdAt })),
  ),
  'adding a group writes its effects': add.dropEffects(),
  'a name that is taken is rejected, and nothing is written': add.writeEntryOnFailure(),
  'names that differ in any character are different': add.replaceWith(async ([group, effects], original) => {
    if ((await original.list(0)).some(({ name }) => foldName(name) === foldName(group.name))) return;
    await original.add(group, effects);
  }),
  'when the same name is added concurrently, only one call succeeds': add.replaceWith(
    async ([group], original, { groups }) => {
      if ((await original.findByNames([group.name])).length > 0) throw new PorticoError('group_taken');
      await pause();
      groups.set(group.id, group);
    },
  ),
  'a group cannot be added with a tier that does not exist': add.replaceWith(
    async ([group], _original, { groups }) => void groups.set(group.id, group),
  ),
  'groups are listed by name in code-point order': list.mapResult((groups) =>
    [...groups].sort((a, b) => a.name.localeCompare(b.name, 'en')),
  ),
  'a page of groups starts after a name, does not exceed its limit and can be filtered by a text, ignoring case':
    list.replaceWith(async ([now, page = allGroups], original) =>
      (await original.list(now, { ...page, containing: null })).filter(
        ({ name }) => page.containing === null || name.toLowerCase().includes(page.containing.toLowerCase()),
      ),
    ),
  // Counts a member twice if it belongs to the group in both ways.
  'a listed group shows the number of its members, each counted once, and of its grants': list.mapResult(
    (groups, _args, { groupMembers, claims }) =>
      groups.map((group) => ({
        ...group,
        members:
          (groupMembers.get(group.id)?.size ?? 0) +
          [...claims.values()].filter(({ names }) => names.includes(group.name)).length,
      })),
  ),
  'a listed group shows the number of collections that it has at the given time': find.mapArguments(([id]) => [id, 0]),
  'the collections of a group are listed with their grants, sorted by name like lists of collections':
    listCollections.mapResult((collections) => (collections ?? []).toReversed()),
  'a collection of a group is listed until the grant expires': listCollections.mapArguments(([id]) => [id, 0]),
  'a group without collections has an empty list of collections, and a missing group has no list':
    listCollections.mapResult((collections) => collections ?? []),
  'looking up an unknown id returns no group': find.replaceWith(
    async ([id, now], original) => (await original.find(id, now)) ?? (await original.list(now))[0] ?? null,
  ),
  'groups are found by their exact names': findByNames.replaceWith(async ([names], original) =>
    (await original.list(0))
      .filter(({ name }) => names.some((query) => foldName(query) === foldName(name)))
      .map(({ members: _members, collections: _collections, ...group }) => group),
  ),
  'an update bases its decision on the current group, stores the change and returns it': update.mapDecision(
    (change, [current]) => ({
      ...change,
      group: { ...change.group, description: current.description },
    }),
  ),
  'an update writes its effects': update.dropEffects(),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'updating a missing group throws before the decision is called': update.replaceWith(
    async ([id, decide], original, database) =>
      database.groups.has(id) ? original.update(id, decide) : decide(aGroup(), []).group,
  ),
  'an update cannot give a group the name of a different group': uncheckedUpdate,
  'an update cannot give a group a tier that does not exist': uncheckedUpdate,
  'concurrent updates of the same group each see the previous update': uncheckedUpdate,
  'a tier that is removed while it is being assigned is not kept by any group': uncheckedUpdate,
  // Also renames the group in the token claims.
  'a renamed group has the members whose tokens have its current name': update.replaceWith(
    async ([id, decide], original, database) => {
      const { name } = groupIn(database, id);
      const group = await original.update(id, decide);
      for (const [profile, { names }] of database.claims)
        updateEntry(database.claims, profile, {
          names: names.map((claimedName) => (claimedName === name ? group.name : claimedName)),
        });
      return group;
    },
  ),
  'removing a group removes its members and grants, and no other group': remove.restoreAfter(({ groupMembers }, [id]) =>
    saveEntries(groupMembers, (group) => group === id),
  ),
  'no read shows the collections of a removed group': remove.restoreAfter(({ groups, grants }, [id]) => {
    const [restoreGroup, restoreGrants] = [
      saveEntries(groups, (key) => key === id),
      saveEntries(grants, (key) => key === id),
    ];
    return () => {
      restoreGroup();
      restoreGrants();
    };
  }),
  'a removal bases its decision on the current group and writes its effects': remove.dropEffects(),
  'a removal rethrows an error from the decision and changes nothing': remove.runBefore(({ groupMembers }, [id]) =>
    groupMembers.delete(id),
  ),
  'removing a missing group throws before the decision is called': remove.ignoreErrors(),
  'when the same group is removed concurrently, only one call succeeds': remove.replaceWith(
    async ([id, decide], original, database) => {
      const effects = decide(groupIn(database, id));
      await pause();
      await ignoreErrors(original.remove(id, () => effects));
    },
  ),
  'adding, changing or removing a group increases the groups epoch': add.runAfter(
    (database) => (database.groupsEpoch -= 1),
  ),
});
