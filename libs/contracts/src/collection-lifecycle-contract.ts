import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  activeLifecycle,
  type ChangePolicy,
  type Collection,
  type GrantState,
  type LifecycleState,
  type OperationKey,
  type Profile,
  toClientPair,
  type Visibility,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import { addToGroup, addUnrelatedRecords, claimGroups, removeFromGroup } from './memberships.ts';
import { aCollection, aDeprecation, aDocumentContent, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of the stores for the lifecycle of collections, for tags, and for the policy of changes. */
export const collectionLifecycleContract = {
  'adding and updating a collection store its lifecycle, owner, tags and change policy': async (stores) => {
    const { group } = await addUnrelatedRecords(stores);
    const details = {
      lifecycle: aDeprecation(),
      ownerGroup: group.id,
      tags: ['Straße "1"', 'b', 'A'],
      changePolicy: aPolicy,
    };
    const { id } = await addCollection(stores, details);
    deepStrictEqual(pickDetails(await stores.collections.find(id)), details);
    const others = { ...noDetails, lifecycle: { ...activeLifecycle, state: 'retired' as const, since: start } };
    await stores.collections.update(id, (current) => ({ collection: { ...current, ...others }, ...noEffects }));
    deepStrictEqual(pickDetails(await stores.collections.find(id)), others);
    await stores.collections.update(id, (current) => ({ collection: { ...current, ...details }, ...noEffects }));
    deepStrictEqual(pickDetails(await stores.collections.find(id)), details);
  },

  'the collections that are not active are listed with their states': async (stores) => {
    const [, deprecated, retired] = [
      await addCollection(stores),
      await addCollection(stores, { lifecycle: aDeprecation() }),
      await addCollection(stores, { lifecycle: aDeprecation({ state: 'retired' }) }),
    ];
    const inactive = await stores.collections.listInactive();
    deepStrictEqual([...inactive].sort(), [
      [deprecated.id, 'deprecated'],
      [retired.id, 'retired'],
    ]);
    await setState(stores, deprecated, 'active');
    deepStrictEqual([...(await stores.collections.listInactive()).keys()], [retired.id]);
  },

  'removing a collection leaves those that it was the successor of without one': async (stores) => {
    const [removed, other] = [await addCollection(stores), await addCollection(stores)];
    const [first, second] = [
      await addCollection(stores, { lifecycle: aDeprecation({ successor: removed.id }) }),
      await addCollection(stores, { lifecycle: aDeprecation({ successor: other.id }) }),
    ];
    await stores.collections.remove(removed.id, () => noEffects);
    deepStrictEqual(await stores.collections.find(first.id), {
      ...first,
      revision: first.revision + 1,
      lifecycle: { ...first.lifecycle, successor: null },
    });
    deepStrictEqual(await stores.collections.find(second.id), second);
  },

  'a list item has the id, name, description, times, lifecycle and tags': async (stores) => {
    const parts = { updatedAt: start + 5, lifecycle: aDeprecation(), tags: ['Straße', 'b'] };
    const { id, name, description, createdAt } = await addCollection(stores, parts);
    deepStrictEqual(await stores.collections.list(allCollections, null), [
      { id, name, description, createdAt, ...parts },
    ]);
  },

  'a list with a tag has the collections with this tag, ignoring case, and is counted': async (stores) => {
    const tagLists = [['Straße', 'b'], ['STRASSE'], ['straße'], ['b%', 'a b'], ['a'], []];
    const added: Collection[] = [];
    for (const [index, tags] of tagLists.entries())
      added.push(await addCollection(stores, { name: `n${index}`, tags }));
    const expected: readonly (readonly [string, readonly number[]])[] = [
      ['STRAßE', [0, 2]],
      ['b', [0]],
      ['b%', [3]],
      ['%', []],
      ['_', []],
      ['A B', [3]],
      ['a', [4]],
      ['', []],
    ];
    for (const [tag, indexes] of expected) {
      const ids = indexes.map((index) => added[index]?.id);
      for (const page of [null, { limit: 9, after: null }])
        deepStrictEqual(
          (await stores.collections.list(allCollections, page, null, tag)).map(({ id }) => id),
          ids,
        );
      strictEqual(await stores.collections.count(allCollections, null, tag), ids.length);
    }
    deepStrictEqual(
      (await stores.collections.list(allCollections, null, 'N2', 'straße')).map(({ id }) => id),
      [added[2]?.id],
    );
    strictEqual(await stores.collections.count(allCollections, 'n2', 'straße'), 1);
    strictEqual(await stores.collections.count(allCollections, 'n1', 'straße'), 0);
  },

  'a client lists and counts only granted collections with a tag': async (stores) => {
    const client = aProfile();
    await stores.profiles.add(client, noEffects);
    const [granted] = [await addCollection(stores, { tags: ['a'] }), await addCollection(stores, { tags: ['a'] })];
    await grantToClient(stores.grants, client.id, granted.id, () => ({ grantedAt: start, ...noEffects }));
    const visibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    deepStrictEqual(
      (await stores.collections.list(visibility, null, null, 'a')).map(({ id }) => id),
      [granted.id],
    );
    strictEqual(await stores.collections.count(visibility, null, 'a'), 1);
    strictEqual(await stores.collections.count({ scope: 'none' }, null, 'a'), 0);
  },

  'the states of grants contain the state of the collection': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    for (const state of ['active', 'deprecated', 'retired'] as const) {
      await setState(stores, collection, state);
      let grantState: GrantState | undefined;
      await stores.grants.update([toClientPair(client.id, collection.id)], ([current]) => {
        grantState = current;
        return noEffects;
      });
      strictEqual(grantState?.lifecycle, state);
    }
  },

  'the catalog shows retired collections only to those who have access': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    const [first, second] = [
      await addCollection(stores, { name: 'a', discoverable: true, lifecycle: aDeprecation({ state: 'retired' }) }),
      await addCollection(stores, { name: 'b', discoverable: true, lifecycle: aDeprecation() }),
    ];
    const page = { containing: null, limit: 9, after: null };
    const visibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    const listIds = async (reader: Visibility) =>
      (await stores.requests.listCatalog(reader, page)).map(({ id }) => id).filter((id) => id !== undefined);
    deepStrictEqual(
      (await listIds(visibility)).filter((id) => id === first.id || id === second.id),
      [second.id],
    );
    deepStrictEqual(await listIds({ scope: 'none' }), [second.id]);
    await grantToClient(stores.grants, client.id, first.id, () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(
      (await listIds(visibility)).filter((id) => id === first.id || id === second.id),
      [first.id, second.id],
    );
  },

  'the members of the owner group own the collection, whether they were added or a token names the group': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { client: other, group: otherGroup, collection: otherCollection } = await addUnrelatedRecords(stores);
    await setOwner(stores, otherCollection, otherGroup.id);
    await addToGroup(stores, group, [client]);
    deepStrictEqual(await ownershipsOf(stores, client, [collection, otherCollection]), [[], false, false]);
    await setOwner(stores, collection, group.id);
    deepStrictEqual(await ownershipsOf(stores, client, [collection, otherCollection]), [[collection.id], true, false]);
    await removeFromGroup(stores, group, [client]);
    deepStrictEqual(await ownershipsOf(stores, client, [collection, otherCollection]), [[], false, false]);
    await claimGroups(stores, client, [group.name], start);
    deepStrictEqual(await ownershipsOf(stores, client, [collection, otherCollection]), [[collection.id], true, false]);
    await setOwner(stores, collection, null);
    deepStrictEqual(await ownershipsOf(stores, client, [collection, otherCollection]), [[], false, false]);
    deepStrictEqual((await ownershipsOf(stores, other, []))[0], []);
  },

  'removing a group leaves the collections that it owned without an owner': async (stores) => {
    const [{ group, collection }, others] = [await addUnrelatedRecords(stores), await addUnrelatedRecords(stores)];
    await setOwner(stores, collection, group.id);
    await setOwner(stores, others.collection, others.group.id);
    await stores.groups.remove(group.id, () => noEffects);
    strictEqual((await stores.collections.find(collection.id))?.ownerGroup, null);
    strictEqual((await stores.collections.find(others.collection.id))?.ownerGroup, others.group.id);
  },
} satisfies Contract<Stores>;

const allCollections: Visibility = { scope: 'all' };

const aPolicy: ChangePolicy = {
  levels: { 'größe-1': 'ignore', b: 'breaking' },
  expected: [
    {
      rule: 'b',
      operationKey: 'aaaaaaaaaaaaaaaa' as OperationKey,
      fingerprint: '0123456789ab',
      reason: 'Ein "Grund"\n愛',
      until: start,
    },
    { rule: 'c', operationKey: null, fingerprint: null, reason: 'r', until: start + 1 },
  ],
};

const noDetails = { ownerGroup: null, tags: [], changePolicy: { levels: {}, expected: [] } };

const pickDetails = (collection: Collection | null) =>
  collection && {
    lifecycle: collection.lifecycle,
    ownerGroup: collection.ownerGroup,
    tags: collection.tags,
    changePolicy: collection.changePolicy,
  };

const addCollection = async ({ collections }: Stores, fields: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(fields);
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const setState = ({ collections }: Stores, { id }: Collection, state: LifecycleState) => {
  const lifecycle = state === 'active' ? activeLifecycle : aDeprecation({ state });
  return collections.update(id, (current) => ({ collection: { ...current, lifecycle }, ...noEffects }));
};

const setOwner = ({ collections }: Stores, { id }: Collection, ownerGroup: Collection['ownerGroup']) =>
  collections.update(id, (current) => ({ collection: { ...current, ownerGroup }, ...noEffects }));

/** Returns the ids of a profile's collections, and whether it owns each of these, by each way to look it up. */
const ownershipsOf = async (
  { collections, callers }: Stores,
  { id, uid }: Profile,
  targets: readonly Collection[],
): Promise<readonly unknown[]> => {
  const owned: boolean[] = [];
  for (const target of targets) {
    const head = await callers.findByUid(uid, { id: target.id, detail: 'head' }, start);
    const full = await callers.findByUid(uid, { id: target.id, detail: 'full' }, start);
    strictEqual(head?.ownsTarget, full?.ownsTarget);
    owned.push(head?.ownsTarget === true);
  }
  return [await collections.listOwnedIds(id), ...owned];
};
