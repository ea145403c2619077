import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { toClientPair, toGroupPair, toNameKey, type Tier, type Visibility } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, addToGroup, removeFromGroup, addUnrelatedRecords } from './memberships.ts';
import {
  aCollection,
  aDocumentContent,
  createAddDecision,
  aGroup,
  anAdmin,
  anOverride,
  aProfile,
  aTier,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

const createGrantDecision = () => ({ grantedAt: start, ...noEffects });

/** The contract of `CallerLookup`, `CollectionStore`, `LimitStore` and `ProfileStore` for groups. */
export const groupAccessContract = {
  "a row contains the most generous active tier of the client's groups": async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
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

  'the limits of all clients equal those of their rows, and are sorted by email': async (stores) => {
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 3 }), noEffects);
    await stores.limits.addTier(aTier({ tier: 'off', isActive: false }), noEffects);
    const { client } = await addUnrelatedRecords(stores);
    await addToGroupWithTier(stores, client, { tier: 'slow', allowed: 1, windowSeconds: 3 });
    await addToGroupWithTier(stores, client, { tier: 'fast', allowed: 2, windowSeconds: 3 });
    const otherProfiles = ['z', 'ä', 'b', 'a'].map((name, index) =>
      aProfile({ email: `${name}@example.com`, tier: ['own', 'off', null, 'own'][index] ?? null }),
    );
    for (const profile of [...otherProfiles, anAdmin({ email: 'admin@example.com' })])
      await stores.profiles.add(profile, noEffects);
    const [limitedProfile] = otherProfiles;
    if (limitedProfile)
      await stores.limits.addOverride(limitedProfile.id, createAddDecision(anOverride({ allowed: 9 })));
    const clients = await stores.limits.listClients();
    const expected = await Promise.all(
      [...otherProfiles, client].map(async (profile) => ({
        id: profile.id,
        email: profile.email,
        fullName: profile.fullName,
        clientId: profile.clientId,
        limits: (await rowOf(stores, profile)).limits,
      })),
    );
    const compareByEmail = (a: { readonly email: string }, b: { readonly email: string }) =>
      a.email < b.email ? -1 : 1;
    deepStrictEqual(clients, expected.toSorted(compareByEmail));
    deepStrictEqual(clients.find(({ id }) => id === client.id)?.limits.groupTier?.tier, 'fast');
    deepStrictEqual(clients.find(({ id }) => id === limitedProfile?.id)?.limits.override?.allowed, 9);
  },

  'if several tiers of groups are equally generous, the first by name counts': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    await addToGroupWithTier(stores, client, { tier: 'b', allowed: 1, windowSeconds: 3 });
    await addToGroupWithTier(stores, client, { tier: 'a', allowed: 2, windowSeconds: 6 });
    await addToGroupWithTier(stores, client, { tier: 'c', allowed: 1, windowSeconds: 3 });
    deepStrictEqual(await groupTierOf(stores, client), { tier: 'a', allowed: 2, windowSeconds: 6 });
  },

  'inactive tiers, groups without a tier and groups of other clients do not count': async (stores) => {
    const [{ client, group }, { client: otherClient }] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    await addToGroup(stores, group, [client]);
    await addToGroupWithTier(stores, client, { tier: 'asleep', isActive: false });
    await addToGroupWithTier(stores, otherClient, { tier: 'foreign' });
    strictEqual(await groupTierOf(stores, client), null);
  },

  'the tier of a group counts for profiles whose token names the group, until a newer token does not name it': async (
    stores,
  ) => {
    const { client } = await addUnrelatedRecords(stores);
    const rule = { tier: 'gold', allowed: 5, windowSeconds: 1 };
    const group = await addToGroupWithTier(stores, client, rule);
    await claimGroups(stores, client, [group.name], start);
    await removeFromGroup(stores, group, [client]);
    deepStrictEqual(await groupTierOf(stores, client), rule);
    await claimGroups(stores, client, [], start + 1);
    strictEqual(await groupTierOf(stores, client), null);
  },

  'a row contains both the tier of the profile and the tier of its groups': async (stores) => {
    const { client } = await addUnrelatedRecords(stores, { client: { tier: 'own' } });
    await stores.limits.addTier(aTier({ tier: 'own', allowed: 1, windowSeconds: 9 }), noEffects);
    await addToGroupWithTier(stores, client, { tier: 'gold', allowed: 5, windowSeconds: 1 });
    const { limits } = await rowOf(stores, client);
    deepStrictEqual(limits, {
      override: null,
      tier: { tier: 'own', allowed: 1, windowSeconds: 9 },
      groupTier: { tier: 'gold', allowed: 5, windowSeconds: 1 },
    });
  },

  'removing a tier removes it from every group that has it, and updates only those groups': async (stores) => {
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

  'a collection that is granted to a client in several ways occurs once in lists, pages and ids': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores, { collection: { name: 'b' } });
    const { group: claimedGroup, collection: lastCollection } = await addUnrelatedRecords(stores, {
      collection: { name: 'C' },
    });
    const { collection: firstCollection } = await addUnrelatedRecords(stores, { collection: { name: 'a' } });
    await addUnrelatedRecords(stores, { collection: { name: 'b' } });
    await addToGroup(stores, group, [client]);
    await addToGroup(stores, claimedGroup, [client]);
    await claimGroups(stores, client, [group.name, claimedGroup.name].sort());
    for (const pair of [
      toClientPair(client.id, collection.id),
      toGroupPair(group.id, collection.id),
      toGroupPair(claimedGroup.id, collection.id),
      toGroupPair(group.id, lastCollection.id),
      toClientPair(client.id, firstCollection.id),
    ])
      await grantPair(stores.grants, pair, createGrantDecision);
    const grantedVisibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    const expected = [firstCollection, collection, lastCollection].map(({ id }) => id);
    deepStrictEqual(await idsOf(stores, grantedVisibility), expected);
    deepStrictEqual([...(await stores.collections.listVisibleIds(grantedVisibility))].sort(), [...expected].sort());
    for (const limit of [1, 2, 3]) deepStrictEqual(await idsOfPages(stores, grantedVisibility, limit), expected);
  },

  "removing a collection removes only the groups' grants for that collection": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { collection: otherCollection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    for (const { id } of [collection, otherCollection])
      await grantPair(stores.grants, toGroupPair(group.id, id), createGrantDecision);
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.collections, 1);
    await stores.collections.add(collection, aDocumentContent(), noEffects);
    deepStrictEqual(await stores.collections.listVisibleIds({ scope: 'granted', profileId: client.id, now: start }), [
      otherCollection.id,
    ]);
  },

  'removing a collection of a group increases the groups epoch': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), createGrantDecision);
    const before = (await rowOf(stores, client)).epochs.groups;
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await rowOf(stores, client)).epochs.groups > before, true);
  },

  'adding and updating a collection store whether it is discoverable': async (stores) => {
    for (const discoverable of [true, false]) {
      const collection = aCollection({ discoverable });
      await stores.collections.add(collection, aDocumentContent(), noEffects);
      strictEqual((await stores.collections.find(collection.id))?.discoverable, discoverable);
      await stores.collections.update(collection.id, (current) => ({
        collection: { ...current, discoverable: !discoverable },
        ...noEffects,
      }));
      strictEqual((await stores.collections.find(collection.id))?.discoverable, !discoverable);
    }
  },

  'removing a profile removes only that profile from its groups': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client, otherClient]);
    await claimGroups(stores, client, [group.name]);
    await stores.profiles.remove(client.id, () => noEffects);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1);
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(
      (await stores.groups.listMembers(group.id))?.map(({ profileId }) => profileId),
      [otherClient.id],
    );
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'updating a profile keeps its groups and its claims': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    const [members, { claims }] = [await stores.groups.listMembers(group.id), await rowOf(stores, client)];
    await stores.profiles.update(client.id, ({ profile, key }) => ({
      profile: { ...profile, updatedAt: start + 99 },
      key,
      ...noEffects,
    }));
    deepStrictEqual(await stores.groups.listMembers(group.id), members);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
  },
} satisfies Contract<Stores>;

/** Adds the client to a new group with a new tier. */
const addToGroupWithTier = async (
  stores: Stores,
  client: Parameters<typeof addToGroup>[2][number],
  fields: Partial<Tier>,
) => {
  const tier = aTier(fields);
  const group = aGroup({ tier: tier.tier });
  await stores.limits.addTier(tier, noEffects);
  await stores.groups.add(group, noEffects);
  await addToGroup(stores, group, [client]);
  return group;
};

const groupTierOf = async (stores: Stores, client: Parameters<typeof rowOf>[1]) =>
  (await rowOf(stores, client)).limits.groupTier;

const idsOf = async ({ collections }: Stores, visibility: Visibility) =>
  (await collections.list(visibility, null)).map(({ id }) => id);

const idsOfPages = async ({ collections }: Stores, visibility: Visibility, limit: number) => {
  const items = [...(await collections.list(visibility, { limit, after: null }))];
  for (let last = items.at(-1); last && items.length < 20;) {
    const page = await collections.list(visibility, { limit, after: { nameKey: toNameKey(last.name), id: last.id } });
    items.push(...page);
    last = page.at(-1);
  }
  return items.map(({ id }) => id);
};
