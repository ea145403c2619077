import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { clientPair, groupPair, nameKey, type Tier, type Visibility } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claim, join, leave, strangers } from './joining.ts';
import {
  aCollection,
  aContent,
  adding,
  aGroup,
  anAdmin,
  anOverride,
  aProfile,
  aTier,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

const grantedNow = () => ({ grantedAt: start, ...noEffects });

/** What `CallerLookup`, `CollectionStore`, `LimitStore` and `ProfileStore` promise of groups. */
export const groupAccessContract = {
  'a row holds the most generous active tier of the groups': async (stores) => {
    const { client } = await strangers(stores);
    strictEqual(await groupTierOf(stores, client), null);
    // The most requests a second counts: 10, 20 and 15.
    for (const [tier, allowed, windowSeconds] of [
      ['slow', 600, 60],
      ['fast', 20, 1],
      ['wide', 54_000, 3_600],
    ] as const) {
      await inGroupOf(stores, client, { tier, allowed, windowSeconds });
    }
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'fast', allowed: 20, windowSeconds: 1 });
    await stores.limits.updateTier('fast', (tier) => ({ tier: { ...tier, isActive: false }, ...noEffects }));
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'wide', allowed: 54_000, windowSeconds: 3_600 });
  },

  'the limits of all clients are those of their rows, by e-mail': async (stores) => {
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 3 }), noEffects);
    await stores.limits.addTier(aTier({ tier: 'off', isActive: false }), noEffects);
    const { client } = await strangers(stores);
    await inGroupOf(stores, client, { tier: 'slow', allowed: 1, windowSeconds: 3 });
    await inGroupOf(stores, client, { tier: 'fast', allowed: 2, windowSeconds: 3 });
    const others = ['z', 'ä', 'b', 'a'].map((name, at) =>
      aProfile({ email: `${name}@example.com`, tier: ['own', 'off', null, 'own'][at] ?? null }),
    );
    for (const one of [...others, anAdmin({ email: 'admin@example.com' })]) await stores.profiles.add(one, noEffects);
    const [limited] = others;
    if (limited) await stores.limits.addOverride(limited.id, adding(anOverride({ allowed: 9 })));
    const clients = await stores.limits.clients();
    const expected = await Promise.all(
      [...others, client].map(async (one) => ({
        id: one.id,
        email: one.email,
        fullName: one.fullName,
        clientId: one.clientId,
        limits: (await rowOf(stores, one)).limits,
      })),
    );
    const byEmail = (a: { readonly email: string }, b: { readonly email: string }) => (a.email < b.email ? -1 : 1);
    deepStrictEqual(clients, expected.toSorted(byEmail));
    deepStrictEqual(clients.find(({ id }) => id === client.id)?.limits.groupTier?.tier, 'fast');
    deepStrictEqual(clients.find(({ id }) => id === limited?.id)?.limits.override?.allowed, 9);
  },

  'of equally generous tiers of groups, the first by name counts': async (stores) => {
    const { client } = await strangers(stores);
    await inGroupOf(stores, client, { tier: 'b', allowed: 1, windowSeconds: 3 });
    await inGroupOf(stores, client, { tier: 'a', allowed: 2, windowSeconds: 6 });
    await inGroupOf(stores, client, { tier: 'c', allowed: 1, windowSeconds: 3 });
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'a', allowed: 2, windowSeconds: 6 });
  },

  'inactive tiers of groups, groups without one, and those of others do not count': async (stores) => {
    const [{ client, group }, { client: other }] = [await strangers(stores), await strangers(stores)];
    await join(stores, group, [client]);
    await inGroupOf(stores, client, { tier: 'asleep', isActive: false });
    await inGroupOf(stores, other, { tier: 'foreign' });
    strictEqual(await groupTierOf(stores, client), null);
  },

  'the tier of a group counts for those whose token names it, and no longer once they leave': async (stores) => {
    const { client } = await strangers(stores);
    const rule = { tier: 'gold', allowed: 5, windowSeconds: 1 };
    const group = await inGroupOf(stores, client, rule);
    await claim(stores, client, [group.name], start);
    await leave(stores, group, [client]);
    deepStrictEqual(await groupTierOf(stores, client), rule);
    await claim(stores, client, [], start + 1);
    strictEqual(await groupTierOf(stores, client), null);
  },

  'the tier of a profile and that of its groups stand side by side': async (stores) => {
    const { client } = await strangers(stores, { client: { tier: 'own' } });
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 1, windowSeconds: 9 }), noEffects);
    await inGroupOf(stores, client, { tier: 'gold', allowed: 5, windowSeconds: 1 });
    const { limits } = await rowOf(stores, client);
    deepStrictEqual(limits, {
      override: null,
      tier: { tier: 'own', allowed: 1, windowSeconds: 9 },
      groupTier: { tier: 'gold', allowed: 5, windowSeconds: 1 },
    });
  },

  'a removal of a tier takes it from every group that has it, as a change of that group, and from no other': async (
    stores,
  ) => {
    for (const tier of ['gold', 'silver']) await stores.limits.addTier(aTier({ tier }), noEffects);
    const removedAt = start + 60;
    const groups = [
      aGroup({ name: 'a', tier: 'gold' }),
      aGroup({ name: 'b', tier: 'gold', updatedAt: removedAt }),
      aGroup({ name: 'c', tier: 'silver' }),
      aGroup({ name: 'd' }),
    ] as const;
    for (const group of groups) await stores.groups.add(group, noEffects);
    await stores.limits.removeTier('gold', () => ({ removedAt, ...noEffects }));
    const listed = (await stores.groups.list(start)).map(({ tier, updatedAt }) => [tier, updatedAt]);
    deepStrictEqual(listed, [
      [null, removedAt],
      [null, removedAt + 1],
      ['silver', groups[2].updatedAt],
      [null, groups[3].updatedAt],
    ]);
  },

  'a collection that a client has in several ways is listed once, in lists, pages and ids': async (stores) => {
    const { client, group, collection } = await strangers(stores, { collection: { name: 'b' } });
    const { group: claimed, collection: last } = await strangers(stores, { collection: { name: 'C' } });
    const { collection: first } = await strangers(stores, { collection: { name: 'a' } });
    await strangers(stores, { collection: { name: 'b' } });
    await join(stores, group, [client]);
    await join(stores, claimed, [client]);
    await claim(stores, client, [group.name, claimed.name].sort());
    for (const pair of [
      clientPair(client.id, collection.id),
      groupPair(group.id, collection.id),
      groupPair(claimed.id, collection.id),
      groupPair(group.id, last.id),
      clientPair(client.id, first.id),
    ])
      await grantPair(stores.grants, pair, grantedNow);
    const granted: Visibility = { of: 'granted', to: client.id, at: start };
    const expected = [first, collection, last].map(({ id }) => id);
    deepStrictEqual(await idsOf(stores, granted), expected);
    deepStrictEqual([...(await stores.collections.visibleIds(granted))].sort(), [...expected].sort());
    for (const limit of [1, 2, 3]) deepStrictEqual(await idsOfPages(stores, granted, limit), expected);
  },

  'a removal of a collection removes the grants of groups for it, and for no other': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const { collection: other } = await strangers(stores);
    await join(stores, group, [client]);
    for (const { id } of [collection, other]) await grantPair(stores.grants, groupPair(group.id, id), grantedNow);
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.collections, 1);
    await stores.collections.add(collection, aContent(), noEffects);
    deepStrictEqual(await stores.collections.visibleIds({ of: 'granted', to: client.id, at: start }), [other.id]);
  },

  'the groups epoch grows when a collection of a group is removed': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await grantPair(stores.grants, groupPair(group.id, collection.id), grantedNow);
    const before = (await rowOf(stores, client)).epochs.groups;
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await rowOf(stores, client)).epochs.groups > before, true);
  },

  'whether a collection is discoverable is kept, by an addition and by an update': async (stores) => {
    for (const discoverable of [true, false]) {
      const collection = aCollection({ discoverable });
      await stores.collections.add(collection, aContent(), noEffects);
      strictEqual((await stores.collections.find(collection.id))?.discoverable, discoverable);
      await stores.collections.update(collection.id, (current) => ({
        collection: { ...current, discoverable: !discoverable },
        ...noEffects,
      }));
      strictEqual((await stores.collections.find(collection.id))?.discoverable, !discoverable);
    }
  },

  'a removal of a profile takes it out of its groups, and no other': async (stores) => {
    const { client, group } = await strangers(stores);
    const { client: stays } = await strangers(stores);
    await join(stores, group, [client, stays]);
    await claim(stores, client, [group.name]);
    await stores.profiles.remove(client.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1);
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ profileId }) => profileId),
      [stays.id],
    );
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'an update of a profile leaves its groups and what its token said': async (stores) => {
    const { client, group } = await strangers(stores);
    await join(stores, group, [client]);
    await claim(stores, client, [group.name]);
    const [members, { claims }] = [await stores.groups.members(group.id), await rowOf(stores, client)];
    await stores.profiles.update(client.id, ({ profile, key }) => ({
      profile: { ...profile, updatedAt: start + 99 },
      key,
      ...noEffects,
    }));
    deepStrictEqual(await stores.groups.members(group.id), members);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
  },
} satisfies Contract<Stores>;

/** Puts the client into a new group with a new tier. */
const inGroupOf = async (stores: Stores, client: Parameters<typeof join>[2][number], facts: Partial<Tier>) => {
  const tier = aTier(facts);
  const group = aGroup({ tier: tier.tier });
  await stores.limits.addTier(tier, noEffects);
  await stores.groups.add(group, noEffects);
  await join(stores, group, [client]);
  return group;
};

const groupTierOf = async (stores: Stores, client: Parameters<typeof rowOf>[1]) =>
  (await rowOf(stores, client)).limits.groupTier;

const idsOf = async ({ collections }: Stores, visibility: Visibility) =>
  (await collections.list(visibility, null)).map(({ id }) => id);

const idsOfPages = async ({ collections }: Stores, visibility: Visibility, limit: number) => {
  const lines = [...(await collections.list(visibility, { limit, after: null }))];
  for (let last = lines.at(-1); last && lines.length < 20;) {
    const page = await collections.list(visibility, { limit, after: { nameKey: nameKey(last.name), id: last.id } });
    lines.push(...page);
    last = page.at(-1);
  }
  return lines.map(({ id }) => id);
};
