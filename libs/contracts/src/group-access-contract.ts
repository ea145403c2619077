import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { clientPair, groupPair, nameKey, type Tier, type Visibility } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, join, leave, addUnrelated } from './memberships.ts';
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

/** The contract of `CallerLookup`, `CollectionStore`, `LimitStore` and `ProfileStore` for groups. */
export const groupAccessContract = {
  'a row contains the most generous active tier of the groups': async (stores) => {
    const { client } = await addUnrelated(stores);
    strictEqual(await groupTierOf(stores, client), null);
    // The tier with the most requests per second wins. These tiers allow 10, 20 and 15.
    for (const [tier, allowed, windowSeconds] of [
      ['slow', 600, 60],
      ['fast', 20, 1],
      ['wide', 54_000, 3_600],
    ] as const) {
      await addToGroupWithTier(stores, client, { tier, allowed, windowSeconds });
    }
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'fast', allowed: 20, windowSeconds: 1 });
    await stores.limits.updateTier('fast', (tier) => ({ tier: { ...tier, isActive: false }, ...noEffects }));
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'wide', allowed: 54_000, windowSeconds: 3_600 });
  },

  'the limits of all clients equal those of their rows, and are sorted by e-mail': async (stores) => {
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 3 }), noEffects);
    await stores.limits.addTier(aTier({ tier: 'off', isActive: false }), noEffects);
    const { client } = await addUnrelated(stores);
    await addToGroupWithTier(stores, client, { tier: 'slow', allowed: 1, windowSeconds: 3 });
    await addToGroupWithTier(stores, client, { tier: 'fast', allowed: 2, windowSeconds: 3 });
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
    const { client } = await addUnrelated(stores);
    await addToGroupWithTier(stores, client, { tier: 'b', allowed: 1, windowSeconds: 3 });
    await addToGroupWithTier(stores, client, { tier: 'a', allowed: 2, windowSeconds: 6 });
    await addToGroupWithTier(stores, client, { tier: 'c', allowed: 1, windowSeconds: 3 });
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'a', allowed: 2, windowSeconds: 6 });
  },

  'inactive tiers, groups without a tier, and groups of other clients do not count': async (stores) => {
    const [{ client, group }, { client: other }] = [await addUnrelated(stores), await addUnrelated(stores)];
    await join(stores, group, [client]);
    await addToGroupWithTier(stores, client, { tier: 'asleep', isActive: false });
    await addToGroupWithTier(stores, other, { tier: 'foreign' });
    strictEqual(await groupTierOf(stores, client), null);
  },

  'the tier of a group counts for profiles whose token names the group, until a token does not': async (stores) => {
    const { client } = await addUnrelated(stores);
    const rule = { tier: 'gold', allowed: 5, windowSeconds: 1 };
    const group = await addToGroupWithTier(stores, client, rule);
    await claimGroups(stores, client, [group.name], start);
    await leave(stores, group, [client]);
    deepStrictEqual(await groupTierOf(stores, client), rule);
    await claimGroups(stores, client, [], start + 1);
    strictEqual(await groupTierOf(stores, client), null);
  },

  'a row contains both the tier of the profile and that of its groups': async (stores) => {
    const { client } = await addUnrelated(stores, { client: { tier: 'own' } });
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 1, windowSeconds: 9 }), noEffects);
    await addToGroupWithTier(stores, client, { tier: 'gold', allowed: 5, windowSeconds: 1 });
    const { limits } = await rowOf(stores, client);
    deepStrictEqual(limits, {
      override: null,
      tier: { tier: 'own', allowed: 1, windowSeconds: 9 },
      groupTier: { tier: 'gold', allowed: 5, windowSeconds: 1 },
    });
  },

  'removing a tier removes it from every group that has it, as an update of that group, and from no other': async (
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
    const tiers = (await stores.groups.list(start)).map(({ tier, updatedAt }) => [tier, updatedAt]);
    deepStrictEqual(tiers, [
      [null, removedAt],
      [null, removedAt + 1],
      ['silver', groups[2].updatedAt],
      [null, groups[3].updatedAt],
    ]);
  },

  'a collection granted to a client in several ways is listed once, in lists, pages and ids': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores, { collection: { name: 'b' } });
    const { group: claimed, collection: last } = await addUnrelated(stores, { collection: { name: 'C' } });
    const { collection: first } = await addUnrelated(stores, { collection: { name: 'a' } });
    await addUnrelated(stores, { collection: { name: 'b' } });
    await join(stores, group, [client]);
    await join(stores, claimed, [client]);
    await claimGroups(stores, client, [group.name, claimed.name].sort());
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

  'removing a collection removes the grants of groups for it, and no others': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const { collection: other } = await addUnrelated(stores);
    await join(stores, group, [client]);
    for (const { id } of [collection, other]) await grantPair(stores.grants, groupPair(group.id, id), grantedNow);
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.collections, 1);
    await stores.collections.add(collection, aContent(), noEffects);
    deepStrictEqual(await stores.collections.visibleIds({ of: 'granted', to: client.id, at: start }), [other.id]);
  },

  'the groups epoch grows when a collection of a group is removed': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await grantPair(stores.grants, groupPair(group.id, collection.id), grantedNow);
    const before = (await rowOf(stores, client)).epochs.groups;
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await rowOf(stores, client)).epochs.groups > before, true);
  },

  'an addition and an update store whether a collection is discoverable': async (stores) => {
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

  'removing a profile removes it from its groups, and no other profile': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    const { client: other } = await addUnrelated(stores);
    await join(stores, group, [client, other]);
    await claimGroups(stores, client, [group.name]);
    await stores.profiles.remove(client.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1);
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ profileId }) => profileId),
      [other.id],
    );
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'an update of a profile keeps its groups and its claims': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
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

/** Adds the client to a new group with a new tier. */
const addToGroupWithTier = async (stores: Stores, client: Parameters<typeof join>[2][number], facts: Partial<Tier>) => {
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
