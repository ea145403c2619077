import { aGroup, groupStoreContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import { everyGroup, type Group, type GroupId, type GroupStore, type ListedGroup, PorticoError } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, hushed, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const listing = (alter: (groups: readonly ListedGroup[], database: MemoryDatabase) => readonly ListedGroup[]) =>
  breaking('groups', (right, _stores, database) => ({ list: async (now) => alter(await right.list(now), database) }));

const groupIn = ({ groups }: MemoryDatabase, id: GroupId): Group => {
  const group = groups.get(id);
  if (!group) throw new PorticoError('group_not_found');
  return group;
};

/** An update that neither waits for others nor checks what it stores. */
const careless = breaking('groups', (_right, _stores, database) => ({
  update: async (id, decide) => {
    const { group } = decide(groupIn(database, id), []);
    await pause();
    database.groups.set(id, group);
    return group;
  },
}));

/** A removal that leaves something behind. */
const leaving = (leave: (database: MemoryDatabase, id: GroupId) => () => void) =>
  breaking('groups', (right, _stores, database) => ({
    remove: async (id, decide) => {
      const restore = leave(database, id);
      await right.remove(id, decide);
      restore();
    },
  }));

/** A name, as one would compare it who is too kind. */
const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();

const refusingAlike = breaking('groups', (right) => ({
  add: async (group, effects) => {
    if ((await right.list(0)).some(({ name }) => folded(name) === folded(group.name))) return;
    await right.add(group, effects);
  },
}));

const sabotages: Sabotages<typeof groupStoreContract, Stores> = {
  'an added group is found and listed as it was given': listing((groups) =>
    groups.map((group) => ({ ...group, updatedAt: group.createdAt })),
  ),
  'an addition writes its effects': breaking('groups', (right) => ({ add: (group) => right.add(group, noEffects) })),
  'a taken name is refused, and nothing is written': breaking('groups', (right, stores) => ({
    add: (group, effects) => leaking(stores, right.add(group, effects)),
  })),
  'names that differ in anything are different': refusingAlike,
  'of concurrent additions of one name, exactly one succeeds': breaking('groups', (right, _stores, { groups }) => ({
    add: async (group) => {
      if ((await right.findByNames([group.name])).length > 0) throw new PorticoError('group_taken');
      await pause();
      groups.set(group.id, group);
    },
  })),
  'a group cannot be added with a missing tier': breaking('groups', (_right, _stores, { groups }) => ({
    add: async (group) => void groups.set(group.id, group),
  })),
  'groups are listed by name in code-point order': listing((groups) =>
    [...groups].sort((a, b) => a.name.localeCompare(b.name, 'en')),
  ),
  'a page of groups starts behind a name, has at most its limit, and holds the names with a text in any case': breaking(
    'groups',
    (right) => ({
      list: async (now, page = everyGroup) =>
        (await right.list(now, { ...page, containing: null })).filter(
          ({ name }) => page.containing === null || name.toLowerCase().includes(page.containing.toLowerCase()),
        ),
    }),
  ),
  // Counts who is a member in both ways twice.
  'a listed group counts its members, each once, and its grants': listing((groups, { groupMembers, claims }) =>
    groups.map((group) => ({
      ...group,
      members:
        (groupMembers.get(group.id)?.size ?? 0) +
        [...claims.values()].filter(({ names }) => names.includes(group.name)).length,
    })),
  ),
  'a listed group counts the collections that it has at that moment': breaking('groups', (right) => ({
    find: (id) => right.find(id, 0),
  })),
  'what a group has is listed by name as lists are, with its grants': breaking('groups', (right) => ({
    collectionsOf: async (id, now) => [...((await right.collectionsOf(id, now)) ?? [])].reverse(),
  })),
  'what a group has is listed until its end': breaking('groups', (right) => ({
    collectionsOf: (id) => right.collectionsOf(id, 0),
  })),
  'a group without collections has an empty list of them, and a missing one has none': breaking('groups', (right) => ({
    collectionsOf: async (id, now) => (await right.collectionsOf(id, now)) ?? [],
  })),
  'an unknown id finds no group': breaking('groups', (right) => ({
    find: async (id, now) => (await right.find(id, now)) ?? (await right.list(now))[0] ?? null,
  })),
  'groups are found by exactly their names': breaking('groups', (right) => ({
    findByNames: async (names) =>
      (await right.list(0))
        .filter(({ name }) => names.some((asked) => folded(asked) === folded(name)))
        .map(({ members: _members, collections: _collections, ...group }) => group),
  })),
  'an update decides on the current group, stores the change and returns it': breaking('groups', (right) => ({
    update: (id, decide) =>
      right.update(id, (current, requests) => {
        const change = decide(current, requests);
        return { ...change, group: { ...change.group, description: current.description } };
      }),
  })),
  'an update writes its effects': breaking('groups', (right) => ({
    update: (id, decide) => right.update(id, silently(decide)),
  })),
  'an update rethrows what its decision throws, and changes nothing': breaking('groups', (right, stores) => ({
    update: (id, decide) => leaking(stores, right.update(id, decide)),
  })),
  'an update of a missing group is refused before the decision': breaking('groups', (right, _stores, database) => ({
    update: async (id, decide) => (database.groups.has(id) ? right.update(id, decide) : decide(aGroup(), []).group),
  })),
  'an update cannot give a group the name of another': careless,
  'an update cannot give a group a missing tier': careless,
  'concurrent updates of one group each see the one before': careless,
  'no group keeps a tier that is removed while it is assigned': careless,
  // Renames what tokens said with the group.
  'a renamed group has the members whose tokens name it as it is called now': breaking(
    'groups',
    (right, _stores, database) => ({
      update: async (id, decide) => {
        const { name } = groupIn(database, id);
        const group = await right.update(id, decide);
        for (const [profile, claims] of database.claims)
          database.claims.set(profile, {
            ...claims,
            names: claims.names.map((each) => (each === name ? group.name : each)),
          });
        return group;
      },
    }),
  ),
  'a removed group is gone with its members and grants, and no other is': leaving(({ groupMembers }, id) => {
    const members = groupMembers.get(id);
    return () => members && groupMembers.set(id, members);
  }),
  'no read shows what a removed group had': leaving(({ groups, grants }, id) => {
    const [group, granted] = [groups.get(id), grants.get(id)];
    return () => {
      if (group) groups.set(id, group);
      if (granted) grants.set(id, granted);
    };
  }),
  'a removal decides on the current group and writes its effects': breaking('groups', (right) => ({
    remove: (id, decide) => right.remove(id, silently(decide)),
  })),
  'a removal rethrows what its decision throws, and keeps everything': breaking(
    'groups',
    (right, _stores, database): Partial<GroupStore> => ({
      remove: (id, decide) => {
        database.groupMembers.delete(id);
        return right.remove(id, decide);
      },
    }),
  ),
  'a removal of a missing group is refused before the decision': breaking('groups', (right) => ({
    remove: (id, decide) => hushed(right.remove(id, decide), undefined),
  })),
  'of concurrent removals of one group, exactly one succeeds': breaking('groups', (right, _stores, database) => ({
    remove: async (id, decide) => {
      const effects = decide(groupIn(database, id));
      await pause();
      await hushed(
        right.remove(id, () => effects),
        undefined,
      );
    },
  })),
  'the groups epoch grows with each creation, change and removal of a group': breaking(
    'groups',
    (right, _stores, database) => ({
      add: async (group, effects) => {
        await right.add(group, effects);
        database.groupsEpoch -= 1;
      },
    }),
  ),
};

describe('the memory group store', () => {
  proveContract(groupStoreContract, sabotages, createMemoryStores);
});
