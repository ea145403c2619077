import { aGroup, groupStoreContract } from '@portico/contracts';
import { everyGroup, type Group, type GroupId, PorticoError } from '@portico/domain';
import { breachesOf, changing, hushed, pause, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { add, collectionsOf, find, findByNames, list, remove, update } = breachesOf('groups');

const groupIn = ({ groups }: MemoryDatabase, id: GroupId): Group => {
  const group = groups.get(id);
  if (!group) throw new PorticoError('group_not_found');
  return group;
};

/** An update that neither waits for others nor checks what it stores. */
const careless = update.instead(async ([id, decide], _right, database) => {
  const { group } = decide(groupIn(database, id), []);
  await pause();
  database.groups.set(id, group);
  return group;
});

/** A name, as one would compare it who is too kind. */
const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();

proveStores('the memory group store', groupStoreContract, {
  'an added group is found and listed as it was given': list.returning((groups) =>
    groups.map((group) => ({ ...group, updatedAt: group.createdAt })),
  ),
  'an addition writes its effects': add.withoutEffects(),
  'a taken name is refused, and nothing is written': add.leaking(),
  'names that differ in anything are different': add.instead(async ([group, effects], right) => {
    if ((await right.list(0)).some(({ name }) => folded(name) === folded(group.name))) return;
    await right.add(group, effects);
  }),
  'of concurrent additions of one name, exactly one succeeds': add.instead(async ([group], right, { groups }) => {
    if ((await right.findByNames([group.name])).length > 0) throw new PorticoError('group_taken');
    await pause();
    groups.set(group.id, group);
  }),
  'a group cannot be added with a missing tier': add.instead(
    async ([group], _right, { groups }) => void groups.set(group.id, group),
  ),
  'groups are listed by name in code-point order': list.returning((groups) =>
    [...groups].sort((a, b) => a.name.localeCompare(b.name, 'en')),
  ),
  'a page of groups starts behind a name, has at most its limit, and holds the names with a text in any case':
    list.instead(async ([now, page = everyGroup], right) =>
      (await right.list(now, { ...page, containing: null })).filter(
        ({ name }) => page.containing === null || name.toLowerCase().includes(page.containing.toLowerCase()),
      ),
    ),
  // Counts who is a member in both ways twice.
  'a listed group counts its members, each once, and its grants': list.returning(
    (groups, _asked, { groupMembers, claims }) =>
      groups.map((group) => ({
        ...group,
        members:
          (groupMembers.get(group.id)?.size ?? 0) +
          [...claims.values()].filter(({ names }) => names.includes(group.name)).length,
      })),
  ),
  'a listed group counts the collections that it has at that moment': find.asking(([id]) => [id, 0]),
  'what a group has is listed by name as lists are, with its grants': collectionsOf.returning((collections) =>
    (collections ?? []).toReversed(),
  ),
  'what a group has is listed until its end': collectionsOf.asking(([id]) => [id, 0]),
  'a group without collections has an empty list of them, and a missing one has none': collectionsOf.returning(
    (collections) => collections ?? [],
  ),
  'an unknown id finds no group': find.instead(
    async ([id, now], right) => (await right.find(id, now)) ?? (await right.list(now))[0] ?? null,
  ),
  'groups are found by exactly their names': findByNames.instead(async ([names], right) =>
    (await right.list(0))
      .filter(({ name }) => names.some((asked) => folded(asked) === folded(name)))
      .map(({ members: _members, collections: _collections, ...group }) => group),
  ),
  'an update decides on the current group, stores the change and returns it': update.deciding((change, [current]) => ({
    ...change,
    group: { ...change.group, description: current.description },
  })),
  'an update writes its effects': update.withoutEffects(),
  'an update rethrows what its decision throws, and changes nothing': update.leaking(),
  'an update of a missing group is refused before the decision': update.instead(
    async ([id, decide], right, database) =>
      database.groups.has(id) ? right.update(id, decide) : decide(aGroup(), []).group,
  ),
  'an update cannot give a group the name of another': careless,
  'an update cannot give a group a missing tier': careless,
  'concurrent updates of one group each see the one before': careless,
  'no group keeps a tier that is removed while it is assigned': careless,
  // Renames what tokens said with the group.
  'a renamed group has the members whose tokens name it as it is called now': update.instead(
    async ([id, decide], right, database) => {
      const { name } = groupIn(database, id);
      const group = await right.update(id, decide);
      for (const [profile, { names }] of database.claims)
        changing(database.claims, profile, { names: names.map((each) => (each === name ? group.name : each)) });
      return group;
    },
  ),
  'a removed group is gone with its members and grants, and no other is': remove.leaving(({ groupMembers }, [id]) =>
    restoring(groupMembers, (group) => group === id),
  ),
  'no read shows what a removed group had': remove.leaving(({ groups, grants }, [id]) => {
    const [group, granted] = [restoring(groups, (key) => key === id), restoring(grants, (key) => key === id)];
    return () => {
      group();
      granted();
    };
  }),
  'a removal decides on the current group and writes its effects': remove.withoutEffects(),
  'a removal rethrows what its decision throws, and keeps everything': remove.preceded(({ groupMembers }, [id]) =>
    groupMembers.delete(id),
  ),
  'a removal of a missing group is refused before the decision': remove.hushing(),
  'of concurrent removals of one group, exactly one succeeds': remove.instead(async ([id, decide], right, database) => {
    const effects = decide(groupIn(database, id));
    await pause();
    await hushed(right.remove(id, () => effects));
  }),
  'the groups epoch grows with each creation, change and removal of a group': add.followed(
    (database) => (database.groupsEpoch -= 1),
  ),
});
