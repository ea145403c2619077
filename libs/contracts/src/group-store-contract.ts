import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  clientPair,
  type Collection,
  allGroups,
  type Group,
  type GroupPage,
  groupPair,
  type Instant,
} from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, join, addUnrelated } from './memberships.ts';
import { aGroup, aProfile, aTier, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { readsShowingAccess } from './reads-showing-access.ts';

const empty = { members: 0, collections: 0 };

/** The contract of `GroupStore` for the groups themselves. */
export const groupStoreContract = {
  'an added group is found and listed unchanged': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const group = aGroup({ tier: 'gold', description: '', updatedAt: start + 1 });
    await stores.groups.add(group, noEffects);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...empty });
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...empty }]);
  },

  'an addition writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.groups.add(aGroup(), effects);
    await assertWritten(stores, effects);
  },

  'a taken name is rejected, and nothing is written': async (stores) => {
    const group = await addGroup(stores);
    await assertRejects(stores.groups.add(aGroup({ name: group.name }), someEffects()), 'group_taken');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...empty }]);
    await assertWritten(stores);
  },

  'names that differ in any character are different': async (stores) => {
    for (const name of ['Ops', 'ops', 'Ops ', '\u00d6ps', 'O\u0308ps']) await addGroup(stores, { name });
    strictEqual((await stores.groups.list(start)).length, 5);
  },

  'of concurrent additions of one name, exactly one succeeds': async (stores) => {
    await assertOneWins(() => stores.groups.add(aGroup({ name: 'Ops' }), noEffects), 'group_taken');
    strictEqual((await stores.groups.list(start)).length, 1);
  },

  'a group cannot be added with a missing tier': async (stores) => {
    await assertRejects(stores.groups.add(aGroup({ tier: 'gold' }), someEffects()), 'tier_not_found');
    deepStrictEqual(await stores.groups.list(start), []);
    await assertWritten(stores);
  },

  'groups are listed by name in code-point order': async (stores) => {
    for (const name of ['b', '😀', 'Z', 'ä', '\ufb01', 'a']) await addGroup(stores, { name });
    deepStrictEqual(
      (await stores.groups.list(start)).map(({ name }) => name),
      ['Z', 'a', 'b', 'ä', '\ufb01', '😀'],
    );
  },

  'a page of groups starts after a name, does not exceed its limit, and can be filtered by a text, ignoring case':
    async (stores) => {
      for (const name of ['Öl B', 'öL A', '100% Öl', 'Gas', 'A_B', 'O\u0308l C']) await addGroup(stores, { name });
      const namesOnPage = async (page: Partial<GroupPage>) =>
        (await stores.groups.list(start, { ...allGroups, ...page })).map(({ name }) => name);
      const all = ['100% Öl', 'A_B', 'Gas', 'O\u0308l C', 'Öl B', 'öL A'];
      deepStrictEqual(await namesOnPage({}), all);
      deepStrictEqual(await namesOnPage({ limit: 2 }), all.slice(0, 2));
      deepStrictEqual(await namesOnPage({ limit: 9, after: 'Gas' }), all.slice(3));
      deepStrictEqual(await namesOnPage({ after: 'Gaz' }), all.slice(3));
      const containing = 'ÖL';
      deepStrictEqual(await namesOnPage({ containing }), ['100% Öl', 'O\u0308l C', 'Öl B', 'öL A']);
      deepStrictEqual(await namesOnPage({ containing, limit: 2, after: '100% Öl' }), ['O\u0308l C', 'Öl B']);
      deepStrictEqual(
        [await namesOnPage({ containing: '0%' }), await namesOnPage({ containing: 's_' })],
        [['100% Öl'], []],
      );
      const counts = [stores.groups.count(null), stores.groups.count(containing), stores.groups.count('s_')];
      deepStrictEqual(await Promise.all(counts), [6, 4, 0]);
    },

  'a listed group counts its members, each once, and its grants': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, client, [group.name, other.group.name]);
    await claimGroups(stores, other.client, [group.name]);
    for (const { id } of [collection, other.collection])
      await grantPair(stores.grants, groupPair(group.id, id), () => ({ grantedAt: start, ...noEffects }));
    await grantPair(stores.grants, clientPair(client.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.groups.list(start), [
      { ...group, members: 2, collections: 2 },
      { ...other.group, members: 1, collections: 0 },
    ]);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, members: 2, collections: 2 });
  },

  'a listed group counts the collections that it has at the given time': async (stores) => {
    const { group, collection } = await addUnrelated(stores);
    const { collection: other } = await addUnrelated(stores);
    await grantUntil(stores, group, collection, start + 5);
    await grantUntil(stores, group, other, null);
    for (const [now, collections] of [
      [start + 4, 2],
      [start + 5, 1],
    ] as const) {
      const fromList = (await stores.groups.list(now)).find(({ id }) => id === group.id);
      deepStrictEqual(
        [fromList, await stores.groups.find(group.id, now)],
        Array(2).fill({ ...group, members: 0, collections }),
      );
    }
  },

  'the collections of a group are sorted by name like lists, with the grants': async (stores) => {
    const { client, group, collection: b } = await addUnrelated(stores, { collection: { name: 'b' } });
    const { group: other, collection: a } = await addUnrelated(stores, {
      collection: { name: 'A' },
    });
    await grantUntil(stores, group, b, start + 5);
    await grantUntil(stores, group, a, null);
    await grantUntil(stores, other, b, null);
    await grantPair(stores.grants, clientPair(client.id, b.id), () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.groups.collectionsOf(group.id, start), [
      { id: a.id, name: 'A', grantedAt: start, expiresAt: null },
      { id: b.id, name: 'b', grantedAt: start, expiresAt: start + 5 },
    ]);
  },

  'a collection of a group is listed until the grant expires': async (stores) => {
    const { group, collection } = await addUnrelated(stores);
    await grantUntil(stores, group, collection, start + 5);
    const counts = [start + 4, start + 5].map(
      async (now) => (await stores.groups.collectionsOf(group.id, now))?.length,
    );
    deepStrictEqual(await Promise.all(counts), [1, 0]);
  },

  'a group without collections has an empty list, and a missing group has none': async (stores) => {
    const { group } = await addUnrelated(stores);
    deepStrictEqual(await stores.groups.collectionsOf(group.id, start), []);
    strictEqual(await stores.groups.collectionsOf(nextId(), start), null);
  },

  'an unknown id finds no group': async (stores) => {
    await addGroup(stores);
    strictEqual(await stores.groups.find(nextId(), start), null);
  },

  'groups are found by their exact names': async (stores) => {
    const [a, b] = [await addGroup(stores, { name: 'Ops' }), await addGroup(stores, { name: 'Größe' })];
    await addGroup(stores, { name: 'Dev' });
    const names = async (...query: string[]) => (await stores.groups.findByNames(query)).map(({ name }) => name).sort();
    deepStrictEqual(await names('Größe', 'dev', 'Ops', 'De', 'Ops'), ['Größe', 'Ops']);
    deepStrictEqual(await names(), []);
    deepStrictEqual(await stores.groups.findByNames(['Ops']), [a]);
    deepStrictEqual(await stores.groups.findByNames(['Größe']), [b]);
  },

  'an update decides on the current group, stores the change and returns it': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const [before, other] = [await addGroup(stores), await addGroup(stores)];
    const after = { ...aGroup({ tier: 'gold', description: 'New', updatedAt: start + 5 }), id: before.id };
    let seen: Group | null = null;
    const result = await stores.groups.update(before.id, (current) => {
      seen = current;
      return { group: after, ...noEffects };
    });
    deepStrictEqual([seen, result], [before, after]);
    deepStrictEqual(await stores.groups.find(before.id, start), { ...after, ...empty });
    deepStrictEqual(await stores.groups.find(other.id, start), { ...other, ...empty });
  },

  'an update writes its effects': async (stores) => {
    const { id } = await addGroup(stores);
    const effects = someEffects();
    await stores.groups.update(id, (group) => ({ group, ...effects }));
    await assertWritten(stores, effects);
  },

  'an update rethrows an error from the decision and changes nothing': async (stores) => {
    const group = await addGroup(stores);
    await assertRejects(stores.groups.update(group.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...empty }]);
    await assertWritten(stores);
  },

  'an update of a missing group throws before the decision': async (stores) => {
    await addGroup(stores);
    await assertRejects(stores.groups.update(nextId(), failDecision), 'group_not_found');
  },

  'an update cannot give a group the name of another': async (stores) => {
    const [one, other] = [await addGroup(stores), await addGroup(stores)];
    const rename = stores.groups.update(other.id, (group) => ({
      group: { ...group, name: one.name },
      ...someEffects(),
    }));
    await assertRejects(rename, 'group_taken');
    deepStrictEqual(await stores.groups.find(other.id, start), { ...other, ...empty });
    await assertWritten(stores);
  },

  'an update cannot give a group a missing tier': async (stores) => {
    const group = await addGroup(stores);
    const assign = stores.groups.update(group.id, (current) => ({
      group: { ...current, tier: 'gold' },
      ...someEffects(),
    }));
    await assertRejects(assign, 'tier_not_found');
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...empty });
    await assertWritten(stores);
  },

  'concurrent updates of one group each see the previous one': async (stores) => {
    const { id } = await addGroup(stores, { description: '' });
    await Promise.all(
      Array.from({ length: 20 }, () =>
        stores.groups.update(id, (group) => ({
          group: { ...group, description: `${group.description}.` },
          ...noEffects,
        })),
      ),
    );
    strictEqual((await stores.groups.find(id, start))?.description, '.'.repeat(20));
  },

  'no group keeps a tier that is removed while it is assigned': async (stores) => {
    const groups = await Promise.all(Array.from({ length: 20 }, () => addGroup(stores)));
    await stores.limits.addTier(aTier(), noEffects);
    const assign = ({ id }: Group) =>
      stores.groups.update(id, (group) => ({ group: { ...group, tier: 'gold' }, ...noEffects }));
    const remove = () => stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await Promise.allSettled([...groups.slice(10).map(assign), remove(), ...groups.slice(0, 10).map(assign)]);
    deepStrictEqual(await stores.limits.tiers(), []);
    deepStrictEqual(
      (await stores.groups.list(start)).filter(({ tier }) => tier !== null),
      [],
    );
  },

  'a renamed group has the members whose tokens have its current name': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    const { client: other } = await addUnrelated(stores);
    await claimGroups(stores, client, [group.name]);
    await claimGroups(stores, other, ['Ops']);
    await stores.groups.update(group.id, (current) => ({ group: { ...current, name: 'Ops' }, ...noEffects }));
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ profileId }) => profileId),
      [other.id],
    );
  },

  'a group is removed with its members and grants, and no other is': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    for (const { id } of [group, other.group]) {
      await join(stores, { id }, [client]);
      for (const each of [collection, other.collection])
        await grantPair(stores.grants, groupPair(id, each.id), () => ({ grantedAt: start, ...noEffects }));
    }
    await stores.groups.remove(group.id, () => noEffects);
    strictEqual(await stores.groups.find(group.id, start), null);
    strictEqual(await stores.groups.members(group.id), null);
    deepStrictEqual(await stores.groups.list(start), [{ ...other.group, members: 1, collections: 2 }]);
    await stores.groups.add(group, noEffects);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...empty });
  },

  'no read shows the collections of a removed group': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await stores.groups.remove(group.id, () => noEffects);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
  },

  'a removal decides on the current group and writes its effects': async (stores) => {
    const group = await addGroup(stores);
    const effects = someEffects();
    let seen: Group | null = null;
    await stores.groups.remove(group.id, (current) => {
      seen = current;
      return effects;
    });
    deepStrictEqual(seen, group);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await assertRejects(stores.groups.remove(group.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, members: 1, collections: 1 }]);
    await assertWritten(stores);
  },

  'a removal of a missing group throws before the decision': async (stores) => {
    await addGroup(stores);
    await assertRejects(stores.groups.remove(nextId(), failDecision), 'group_not_found');
  },

  'of concurrent removals of one group, exactly one succeeds': async (stores) => {
    const { id } = await addGroup(stores);
    await assertOneWins(() => stores.groups.remove(id, () => noEffects), 'group_not_found');
  },

  'the groups epoch grows with each creation, change and removal of a group': async (stores) => {
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const group = aGroup();
    for (const change of [
      () => stores.groups.add(group, noEffects),
      () => stores.groups.update(group.id, (current) => ({ group: { ...current, name: 'New' }, ...noEffects })),
      () => stores.groups.remove(group.id, () => noEffects),
    ]) {
      const before = (await rowOf(stores, profile)).epochs.groups;
      await change();
      ok((await rowOf(stores, profile)).epochs.groups > before, 'the groups epoch did not grow');
    }
  },
} satisfies Contract<Stores>;

const grantUntil = (
  { grants }: Stores,
  group: Group,
  collection: Collection,
  expiresAt: Instant | null,
): Promise<void> =>
  grantPair(grants, groupPair(group.id, collection.id), () => ({ grantedAt: start, expiresAt, ...noEffects }));

const addGroup = async ({ groups }: Stores, facts: Partial<Group> = {}): Promise<Group> => {
  const group = aGroup(facts);
  await groups.add(group, noEffects);
  return group;
};
