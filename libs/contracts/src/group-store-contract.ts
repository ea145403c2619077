import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  toClientPair,
  type Collection,
  allGroups,
  type Group,
  type GroupPage,
  toGroupPair,
  type Instant,
} from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, addToGroup, addUnrelatedRecords } from './memberships.ts';
import { aGroup, aProfile, aTier, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { listReadsShowingAccess } from './list-reads-showing-access.ts';

const noCounts = { members: 0, collections: 0 };

/** The contract of `GroupStore` for the groups themselves. */
export const groupStoreContract = {
  'a group is found and listed exactly as it was added': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const group = aGroup({ tier: 'gold', description: '', updatedAt: start + 1 });
    await stores.groups.add(group, noEffects);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...noCounts });
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...noCounts }]);
  },

  'adding a group writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.groups.add(aGroup(), effects);
    await assertWritten(stores, effects);
  },

  'a name that is taken is rejected, and nothing is written': async (stores) => {
    const group = await addGroup(stores);
    await assertRejects(stores.groups.add(aGroup({ name: group.name }), someEffects()), 'group_taken');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...noCounts }]);
    await assertWritten(stores);
  },

  'names that differ in any character are different': async (stores) => {
    for (const name of ['Ops', 'ops', 'Ops ', '\u00d6ps', 'O\u0308ps']) await addGroup(stores, { name });
    strictEqual((await stores.groups.list(start)).length, 5);
  },

  'when the same name is added concurrently, only one call succeeds': async (stores) => {
    await assertOneSucceeds(() => stores.groups.add(aGroup({ name: 'Ops' }), noEffects), 'group_taken');
    strictEqual((await stores.groups.list(start)).length, 1);
  },

  'a group cannot be added with a tier that does not exist': async (stores) => {
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

  'a page of groups starts after a name, does not exceed its limit and can be filtered by a text, ignoring case':
    async (stores) => {
      for (const name of ['Öl B', 'öL A', '100% Öl', 'Gas', 'A_B', 'O\u0308l C']) await addGroup(stores, { name });
      const listNamesOnPage = async (page: Partial<GroupPage>) =>
        (await stores.groups.list(start, { ...allGroups, ...page })).map(({ name }) => name);
      const allNames = ['100% Öl', 'A_B', 'Gas', 'O\u0308l C', 'Öl B', 'öL A'];
      deepStrictEqual(await listNamesOnPage({}), allNames);
      deepStrictEqual(await listNamesOnPage({ limit: 2 }), allNames.slice(0, 2));
      deepStrictEqual(await listNamesOnPage({ limit: 9, after: 'Gas' }), allNames.slice(3));
      deepStrictEqual(await listNamesOnPage({ after: 'Gaz' }), allNames.slice(3));
      const containing = 'ÖL';
      deepStrictEqual(await listNamesOnPage({ containing }), ['100% Öl', 'O\u0308l C', 'Öl B', 'öL A']);
      deepStrictEqual(await listNamesOnPage({ containing, limit: 2, after: '100% Öl' }), ['O\u0308l C', 'Öl B']);
      deepStrictEqual(
        [await listNamesOnPage({ containing: '0%' }), await listNamesOnPage({ containing: 's_' })],
        [['100% Öl'], []],
      );
      const counts = [stores.groups.count(null), stores.groups.count(containing), stores.groups.count('s_')];
      deepStrictEqual(await Promise.all(counts), [6, 4, 0]);
    },

  'a listed group shows the number of its members, each counted once, and of its grants': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name, otherRecords.group.name]);
    await claimGroups(stores, otherRecords.client, [group.name]);
    for (const { id } of [collection, otherRecords.collection])
      await grantPair(stores.grants, toGroupPair(group.id, id), () => ({ grantedAt: start, ...noEffects }));
    await grantPair(stores.grants, toClientPair(client.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.groups.list(start), [
      { ...group, members: 2, collections: 2 },
      { ...otherRecords.group, members: 1, collections: 0 },
    ]);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, members: 2, collections: 2 });
  },

  'a listed group shows the number of collections that it has at the given time': async (stores) => {
    const { group, collection } = await addUnrelatedRecords(stores);
    const { collection: otherCollection } = await addUnrelatedRecords(stores);
    await grantUntil(stores, group, collection, start + 5);
    await grantUntil(stores, group, otherCollection, null);
    for (const [now, collections] of [
      [start + 4, 2],
      [start + 5, 1],
    ] as const) {
      const listedGroup = (await stores.groups.list(now)).find(({ id }) => id === group.id);
      deepStrictEqual(
        [listedGroup, await stores.groups.find(group.id, now)],
        Array(2).fill({ ...group, members: 0, collections }),
      );
    }
  },

  'the collections of a group are listed with their grants, sorted by name like lists of collections': async (
    stores,
  ) => {
    const { client, group, collection: b } = await addUnrelatedRecords(stores, { collection: { name: 'b' } });
    const { group: otherGroup, collection: a } = await addUnrelatedRecords(stores, {
      collection: { name: 'A' },
    });
    await grantUntil(stores, group, b, start + 5);
    await grantUntil(stores, group, a, null);
    await grantUntil(stores, otherGroup, b, null);
    await grantPair(stores.grants, toClientPair(client.id, b.id), () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.groups.listCollections(group.id, start), [
      { id: a.id, name: 'A', grantedAt: start, expiresAt: null, rule: null },
      { id: b.id, name: 'b', grantedAt: start, expiresAt: start + 5, rule: null },
    ]);
  },

  'a collection of a group is listed until the grant expires': async (stores) => {
    const { group, collection } = await addUnrelatedRecords(stores);
    await grantUntil(stores, group, collection, start + 5);
    const counts = [start + 4, start + 5].map(
      async (now) => (await stores.groups.listCollections(group.id, now))?.length,
    );
    deepStrictEqual(await Promise.all(counts), [1, 0]);
  },

  'a group without collections has an empty list of collections, and a missing group has no list': async (stores) => {
    const { group } = await addUnrelatedRecords(stores);
    deepStrictEqual(await stores.groups.listCollections(group.id, start), []);
    strictEqual(await stores.groups.listCollections(nextId(), start), null);
  },

  'looking up an unknown id returns no group': async (stores) => {
    await addGroup(stores);
    strictEqual(await stores.groups.find(nextId(), start), null);
  },

  'groups are found by their exact names': async (stores) => {
    const [a, b] = [await addGroup(stores, { name: 'Ops' }), await addGroup(stores, { name: 'Größe' })];
    await addGroup(stores, { name: 'Dev' });
    const findNames = async (...query: string[]) =>
      (await stores.groups.findByNames(query)).map(({ name }) => name).sort();
    deepStrictEqual(await findNames('Größe', 'dev', 'Ops', 'De', 'Ops'), ['Größe', 'Ops']);
    deepStrictEqual(await findNames(), []);
    deepStrictEqual(await stores.groups.findByNames(['Ops']), [a]);
    deepStrictEqual(await stores.groups.findByNames(['Größe']), [b]);
  },

  'an update bases its decision on the current group, stores the change and returns it': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const [before, otherGroup] = [await addGroup(stores), await addGroup(stores)];
    const after = { ...aGroup({ tier: 'gold', description: 'New', updatedAt: start + 5 }), id: before.id };
    let capturedGroup: Group | null = null;
    const result = await stores.groups.update(before.id, (current) => {
      capturedGroup = current;
      return { group: after, ...noEffects };
    });
    deepStrictEqual([capturedGroup, result], [before, after]);
    deepStrictEqual(await stores.groups.find(before.id, start), { ...after, ...noCounts });
    deepStrictEqual(await stores.groups.find(otherGroup.id, start), { ...otherGroup, ...noCounts });
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
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...noCounts }]);
    await assertWritten(stores);
  },

  'updating a missing group throws before the decision is called': async (stores) => {
    await addGroup(stores);
    await assertRejects(stores.groups.update(nextId(), failDecision), 'group_not_found');
  },

  'an update cannot give a group the name of a different group': async (stores) => {
    const [firstGroup, otherGroup] = [await addGroup(stores), await addGroup(stores)];
    const rename = stores.groups.update(otherGroup.id, (group) => ({
      group: { ...group, name: firstGroup.name },
      ...someEffects(),
    }));
    await assertRejects(rename, 'group_taken');
    deepStrictEqual(await stores.groups.find(otherGroup.id, start), { ...otherGroup, ...noCounts });
    await assertWritten(stores);
  },

  'an update cannot give a group a tier that does not exist': async (stores) => {
    const group = await addGroup(stores);
    const assign = stores.groups.update(group.id, (current) => ({
      group: { ...current, tier: 'gold' },
      ...someEffects(),
    }));
    await assertRejects(assign, 'tier_not_found');
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...noCounts });
    await assertWritten(stores);
  },

  'concurrent updates of the same group each see the previous update': async (stores) => {
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

  'a tier that is removed while it is being assigned is not kept by any group': async (stores) => {
    const groups = await Promise.all(Array.from({ length: 20 }, () => addGroup(stores)));
    await stores.limits.addTier(aTier(), noEffects);
    const assign = ({ id }: Group) =>
      stores.groups.update(id, (group) => ({ group: { ...group, tier: 'gold' }, ...noEffects }));
    const remove = () => stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await Promise.allSettled([...groups.slice(10).map(assign), remove(), ...groups.slice(0, 10).map(assign)]);
    deepStrictEqual(await stores.limits.listTiers(), []);
    deepStrictEqual(
      (await stores.groups.list(start)).filter(({ tier }) => tier !== null),
      [],
    );
  },

  'a renamed group has the members whose tokens have its current name': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    await claimGroups(stores, client, [group.name]);
    await claimGroups(stores, otherClient, ['Ops']);
    await stores.groups.update(group.id, (current) => ({ group: { ...current, name: 'Ops' }, ...noEffects }));
    deepStrictEqual(
      (await stores.groups.listMembers(group.id))?.map(({ profileId }) => profileId),
      [otherClient.id],
    );
  },

  'removing a group removes its members and grants, and no other group': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    for (const { id } of [group, otherRecords.group]) {
      await addToGroup(stores, { id }, [client]);
      for (const grantedCollection of [collection, otherRecords.collection])
        await grantPair(stores.grants, toGroupPair(id, grantedCollection.id), () => ({
          grantedAt: start,
          ...noEffects,
        }));
    }
    await stores.groups.remove(group.id, () => noEffects);
    strictEqual(await stores.groups.find(group.id, start), null);
    strictEqual(await stores.groups.listMembers(group.id), null);
    deepStrictEqual(await stores.groups.list(start), [{ ...otherRecords.group, members: 1, collections: 2 }]);
    await stores.groups.add(group, noEffects);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...noCounts });
  },

  'no read shows the collections of a removed group': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await stores.groups.remove(group.id, () => noEffects);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
  },

  'a removal bases its decision on the current group and writes its effects': async (stores) => {
    const group = await addGroup(stores);
    const effects = someEffects();
    let capturedGroup: Group | null = null;
    await stores.groups.remove(group.id, (current) => {
      capturedGroup = current;
      return effects;
    });
    deepStrictEqual(capturedGroup, group);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await assertRejects(stores.groups.remove(group.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, members: 1, collections: 1 }]);
    await assertWritten(stores);
  },

  'removing a missing group throws before the decision is called': async (stores) => {
    await addGroup(stores);
    await assertRejects(stores.groups.remove(nextId(), failDecision), 'group_not_found');
  },

  'when the same group is removed concurrently, only one call succeeds': async (stores) => {
    const { id } = await addGroup(stores);
    await assertOneSucceeds(() => stores.groups.remove(id, () => noEffects), 'group_not_found');
  },

  'adding, changing or removing a group increases the groups epoch': async (stores) => {
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
  grantPair(grants, toGroupPair(group.id, collection.id), () => ({ grantedAt: start, expiresAt, ...noEffects }));

const addGroup = async ({ groups }: Stores, fields: Partial<Group> = {}): Promise<Group> => {
  const group = aGroup(fields);
  await groups.add(group, noEffects);
  return group;
};
