import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  clientPair,
  type Collection,
  everyGroup,
  type Group,
  type GroupPage,
  groupPair,
  type Instant,
} from '@portico/domain';
import { assertOneWins, assertRefused, assertWritten, refuse, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claim, join, strangers } from './joining.ts';
import { aGroup, aProfile, aTier, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { whoSees } from './who-sees.ts';

const empty = { members: 0, collections: 0 };

/** What `GroupStore` promises of groups themselves. */
export const groupStoreContract = {
  'an added group is found and listed as it was given': async (stores) => {
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

  'a taken name is refused, and nothing is written': async (stores) => {
    const group = await added(stores);
    await assertRefused(stores.groups.add(aGroup({ name: group.name }), someEffects()), 'group_taken');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...empty }]);
    await assertWritten(stores);
  },

  'names that differ in anything are different': async (stores) => {
    for (const name of ['Ops', 'ops', 'Ops ', '\u00d6ps', 'O\u0308ps']) await added(stores, { name });
    strictEqual((await stores.groups.list(start)).length, 5);
  },

  'of concurrent additions of one name, exactly one succeeds': async (stores) => {
    await assertOneWins(() => stores.groups.add(aGroup({ name: 'Ops' }), noEffects), 'group_taken');
    strictEqual((await stores.groups.list(start)).length, 1);
  },

  'a group cannot be added with a missing tier': async (stores) => {
    await assertRefused(stores.groups.add(aGroup({ tier: 'gold' }), someEffects()), 'tier_not_found');
    deepStrictEqual(await stores.groups.list(start), []);
    await assertWritten(stores);
  },

  'groups are listed by name in code-point order': async (stores) => {
    for (const name of ['b', '😀', 'Z', 'ä', '\ufb01', 'a']) await added(stores, { name });
    deepStrictEqual(
      (await stores.groups.list(start)).map(({ name }) => name),
      ['Z', 'a', 'b', 'ä', '\ufb01', '😀'],
    );
  },

  'a page of groups starts behind a name, has at most its limit, and holds the names with a text in any case': async (
    stores,
  ) => {
    for (const name of ['Öl B', 'öL A', '100% Öl', 'Gas', 'A_B', 'O\u0308l C']) await added(stores, { name });
    const named = async (page: Partial<GroupPage>) =>
      (await stores.groups.list(start, { ...everyGroup, ...page })).map(({ name }) => name);
    const all = ['100% Öl', 'A_B', 'Gas', 'O\u0308l C', 'Öl B', 'öL A'];
    deepStrictEqual(await named({}), all);
    deepStrictEqual(await named({ limit: 2 }), all.slice(0, 2));
    deepStrictEqual(await named({ limit: 9, after: 'Gas' }), all.slice(3));
    deepStrictEqual(await named({ after: 'Gaz' }), all.slice(3));
    const containing = 'ÖL';
    deepStrictEqual(await named({ containing }), ['100% Öl', 'O\u0308l C', 'Öl B', 'öL A']);
    deepStrictEqual(await named({ containing, limit: 2, after: '100% Öl' }), ['O\u0308l C', 'Öl B']);
    deepStrictEqual([await named({ containing: '0%' }), await named({ containing: 's_' })], [['100% Öl'], []]);
    const counts = [stores.groups.count(null), stores.groups.count(containing), stores.groups.count('s_')];
    deepStrictEqual(await Promise.all(counts), [6, 4, 0]);
  },

  'a listed group counts its members, each once, and its grants': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const other = await strangers(stores);
    await join(stores, group, [client]);
    await claim(stores, client, [group.name, other.group.name]);
    await claim(stores, other.client, [group.name]);
    for (const { id } of [collection, other.collection])
      await grantPair(stores.grants, groupPair(group.id, id), () => ({ grantedAt: start, ...noEffects }));
    await grantPair(stores.grants, clientPair(client.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.groups.list(start), [
      { ...group, members: 2, collections: 2 },
      { ...other.group, members: 1, collections: 0 },
    ]);
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, members: 2, collections: 2 });
  },

  'a listed group counts the collections that it has at that moment': async (stores) => {
    const { group, collection } = await strangers(stores);
    const { collection: other } = await strangers(stores);
    await grantUntil(stores, group, collection, start + 5);
    await grantUntil(stores, group, other, null);
    for (const [now, collections] of [
      [start + 4, 2],
      [start + 5, 1],
    ] as const) {
      const listed = (await stores.groups.list(now)).find(({ id }) => id === group.id);
      deepStrictEqual(
        [listed, await stores.groups.find(group.id, now)],
        Array(2).fill({ ...group, members: 0, collections }),
      );
    }
  },

  'what a group has is listed by name as lists are, with its grants': async (stores) => {
    const { client, group, collection: b } = await strangers(stores, { collection: { name: 'b' } });
    const { group: other, collection: a } = await strangers(stores, {
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

  'what a group has is listed until its end': async (stores) => {
    const { group, collection } = await strangers(stores);
    await grantUntil(stores, group, collection, start + 5);
    const counts = [start + 4, start + 5].map(
      async (now) => (await stores.groups.collectionsOf(group.id, now))?.length,
    );
    deepStrictEqual(await Promise.all(counts), [1, 0]);
  },

  'a group without collections has an empty list of them, and a missing one has none': async (stores) => {
    const { group } = await strangers(stores);
    deepStrictEqual(await stores.groups.collectionsOf(group.id, start), []);
    strictEqual(await stores.groups.collectionsOf(nextId(), start), null);
  },

  'an unknown id finds no group': async (stores) => {
    await added(stores);
    strictEqual(await stores.groups.find(nextId(), start), null);
  },

  'groups are found by exactly their names': async (stores) => {
    const [a, b] = [await added(stores, { name: 'Ops' }), await added(stores, { name: 'Größe' })];
    await added(stores, { name: 'Dev' });
    const names = async (...asked: string[]) => (await stores.groups.findByNames(asked)).map(({ name }) => name).sort();
    deepStrictEqual(await names('Größe', 'dev', 'Ops', 'De', 'Ops'), ['Größe', 'Ops']);
    deepStrictEqual(await names(), []);
    deepStrictEqual(await stores.groups.findByNames(['Ops']), [a]);
    deepStrictEqual(await stores.groups.findByNames(['Größe']), [b]);
  },

  'an update decides on the current group, stores the change and returns it': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const [before, other] = [await added(stores), await added(stores)];
    const after = { ...aGroup({ tier: 'gold', description: 'New', updatedAt: start + 5 }), id: before.id };
    let seen: Group | null = null;
    const answer = await stores.groups.update(before.id, (current) => {
      seen = current;
      return { group: after, ...noEffects };
    });
    deepStrictEqual([seen, answer], [before, after]);
    deepStrictEqual(await stores.groups.find(before.id, start), { ...after, ...empty });
    deepStrictEqual(await stores.groups.find(other.id, start), { ...other, ...empty });
  },

  'an update writes its effects': async (stores) => {
    const { id } = await added(stores);
    const effects = someEffects();
    await stores.groups.update(id, (group) => ({ group, ...effects }));
    await assertWritten(stores, effects);
  },

  'an update rethrows what its decision throws, and changes nothing': async (stores) => {
    const group = await added(stores);
    await assertRefused(stores.groups.update(group.id, refuse), 'already_approved');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, ...empty }]);
    await assertWritten(stores);
  },

  'an update of a missing group is refused before the decision': async (stores) => {
    await added(stores);
    await assertRefused(stores.groups.update(nextId(), refuse), 'group_not_found');
  },

  'an update cannot give a group the name of another': async (stores) => {
    const [one, other] = [await added(stores), await added(stores)];
    const rename = stores.groups.update(other.id, (group) => ({
      group: { ...group, name: one.name },
      ...someEffects(),
    }));
    await assertRefused(rename, 'group_taken');
    deepStrictEqual(await stores.groups.find(other.id, start), { ...other, ...empty });
    await assertWritten(stores);
  },

  'an update cannot give a group a missing tier': async (stores) => {
    const group = await added(stores);
    const assign = stores.groups.update(group.id, (current) => ({
      group: { ...current, tier: 'gold' },
      ...someEffects(),
    }));
    await assertRefused(assign, 'tier_not_found');
    deepStrictEqual(await stores.groups.find(group.id, start), { ...group, ...empty });
    await assertWritten(stores);
  },

  'concurrent updates of one group each see the one before': async (stores) => {
    const { id } = await added(stores, { description: '' });
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
    const groups = await Promise.all(Array.from({ length: 20 }, () => added(stores)));
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

  'a renamed group has the members whose tokens name it as it is called now': async (stores) => {
    const { client, group } = await strangers(stores);
    const { client: other } = await strangers(stores);
    await claim(stores, client, [group.name]);
    await claim(stores, other, ['Ops']);
    await stores.groups.update(group.id, (current) => ({ group: { ...current, name: 'Ops' }, ...noEffects }));
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ profileId }) => profileId),
      [other.id],
    );
  },

  'a removed group is gone with its members and grants, and no other is': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const other = await strangers(stores);
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

  'no read shows what a removed group had': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await join(stores, group, [client]);
    await claim(stores, client, [group.name]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await stores.groups.remove(group.id, () => noEffects);
    deepStrictEqual(await whoSees(stores, client, collection), []);
  },

  'a removal decides on the current group and writes its effects': async (stores) => {
    const group = await added(stores);
    const effects = someEffects();
    let seen: Group | null = null;
    await stores.groups.remove(group.id, (current) => {
      seen = current;
      return effects;
    });
    deepStrictEqual(seen, group);
    await assertWritten(stores, effects);
  },

  'a removal rethrows what its decision throws, and keeps everything': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await join(stores, group, [client]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), () => ({ grantedAt: start, ...noEffects }));
    await assertRefused(stores.groups.remove(group.id, refuse), 'already_approved');
    deepStrictEqual(await stores.groups.list(start), [{ ...group, members: 1, collections: 1 }]);
    await assertWritten(stores);
  },

  'a removal of a missing group is refused before the decision': async (stores) => {
    await added(stores);
    await assertRefused(stores.groups.remove(nextId(), refuse), 'group_not_found');
  },

  'of concurrent removals of one group, exactly one succeeds': async (stores) => {
    const { id } = await added(stores);
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

const added = async ({ groups }: Stores, facts: Partial<Group> = {}): Promise<Group> => {
  const group = aGroup(facts);
  await groups.add(group, noEffects);
  return group;
};
