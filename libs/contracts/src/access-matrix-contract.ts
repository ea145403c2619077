import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  toClientPair,
  type Collection,
  type Grant,
  type GroupId,
  toGroupPair,
  type Group,
  type MatrixFilter,
  toNameKey,
  type Pair,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, aProfile, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const noFilter: MatrixFilter = { profile: null, group: null, collection: null, expiringBefore: null, liveAt: null };
const rowLimit = 100;

/** The contract of `AccessMatrix`. */
export const accessMatrixContract = {
  'a row names the client and the collection, and how access was granted': async (stores) => {
    const { ada, maps, crew } = await setUp(stores);
    await grant(stores, toClientPair(ada.id, maps.id), { expiresAt: start + 9 });
    deepStrictEqual(await stores.accessMatrix.listRows(noFilter, null, rowLimit), [
      {
        client: ada,
        collection: { id: maps.id, name: maps.name },
        grant: { group: null, grantedAt: start, expiresAt: start + 9, rule: null },
      },
    ]);
    await grant(stores, toGroupPair(crew.id, maps.id));
    deepStrictEqual((await stores.accessMatrix.listRows(noFilter, null, rowLimit))[1]?.grant, {
      group: { id: crew.id, name: crew.name },
      grantedAt: start,
      expiresAt: null,
      rule: null,
    });
  },

  'a client has the grants of a group once, whether it was added to the group, claims it, or both': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    await grant(stores, toGroupPair(crew.id, maps.id));
    deepStrictEqual(await linesOf(stores), ['ada maps crew']);
    for (const { id } of [ada, bob]) {
      const claims = { names: [crew.name], issuedAt: start, seenAt: start };
      await stores.groups.syncClaims(id, claims, () => noEffects);
    }
    deepStrictEqual(await linesOf(stores), ['ada maps crew', 'bob maps crew']);
  },

  'admins are not listed': async (stores) => {
    const { maps } = await setUp(stores);
    const admin = aProfile({ role: 'admin' });
    await stores.profiles.add(admin, noEffects);
    await grant(stores, toClientPair(admin.id, maps.id));
    deepStrictEqual(await linesOf(stores), []);
  },

  "rows are sorted by email, collection sort key and group name, with the client's own grants first": async (
    stores,
  ) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    const able = await addGroup(stores, 'able');
    await addMember(stores, able, ada);
    for (const pair of [
      ...[bob, ada].flatMap(({ id }) => [toClientPair(id, maps.id), toClientPair(id, atlas.id)]),
      toGroupPair(crew.id, maps.id),
      toGroupPair(able.id, maps.id),
    ])
      await grant(stores, pair);
    const sorted = ['ada Atlas', 'ada maps', 'ada maps able', 'ada maps crew', 'bob Atlas', 'bob maps'];
    deepStrictEqual(await linesOf(stores), sorted);
  },

  'a page starts after its cursor, even if the row at the cursor does not exist': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    for (const pair of [
      toClientPair(ada.id, maps.id),
      toClientPair(ada.id, atlas.id),
      toClientPair(bob.id, maps.id),
      toGroupPair(crew.id, maps.id),
    ])
      await grant(stores, pair);
    const sorted = ['ada Atlas', 'ada maps', 'ada maps crew', 'bob maps'];
    const cursors = (await stores.accessMatrix.listRows(noFilter, null, rowLimit)).map(
      ({ client, collection, grant }) => ({
        email: client.email,
        nameKey: toNameKey(collection.name),
        collectionId: collection.id,
        groupName: grant.group?.name ?? '',
      }),
    );
    for (const [index, cursor] of cursors.entries())
      deepStrictEqual(await linesOf(stores, noFilter, cursor), sorted.slice(index + 1));
    const missingCursor = { email: 'b@example.com', nameKey: 'x', collectionId: nextId(), groupName: '' };
    deepStrictEqual(await linesOf(stores, noFilter, missingCursor), ['bob maps']);
  },

  'a page has at most the requested number of rows': async (stores) => {
    const { ada, bob, maps } = await setUp(stores);
    for (const { id } of [ada, bob]) await grant(stores, toClientPair(id, maps.id));
    strictEqual((await stores.accessMatrix.listRows(noFilter, null, 1)).length, 1);
  },

  'rows are found even after many clients without rows': async (stores) => {
    const { maps } = await setUp(stores);
    for (let index = 0; index < 400; index++) await addClient(stores, `m${index}`);
    const zoe = await addClient(stores, 'zoe');
    await grant(stores, toClientPair(zoe.id, maps.id));
    deepStrictEqual(await linesOf(stores, { ...noFilter, collection: { by: 'id', id: maps.id } }), ['zoe maps']);
  },

  'a filter selects a profile, a group or a collection by id or by name': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    await grant(stores, toClientPair(bob.id, atlas.id));
    await grant(stores, toGroupPair(crew.id, maps.id));
    const expected = ['ada maps crew'];
    for (const filter of [
      { profile: { by: 'id', id: ada.id } },
      { profile: { by: 'name', name: ada.email } },
      { profile: { by: 'name', name: ada.email.toUpperCase() } },
      { group: { by: 'id', id: crew.id } },
      { group: { by: 'name', name: crew.name } },
      { collection: { by: 'id', id: maps.id } },
      { collection: { by: 'name', name: maps.name } },
    ] as const)
      deepStrictEqual([filter, await linesOf(stores, { ...noFilter, ...filter })], [filter, expected]);
    deepStrictEqual(await linesOf(stores, { ...noFilter, profile: { by: 'name', name: 'no@example.com' } }), []);
  },

  'a filter can exclude grants that had expired at a given millisecond': async (stores) => {
    const { ada, maps } = await setUp(stores);
    await grant(stores, toClientPair(ada.id, maps.id), { expiresAt: start + 5 });
    deepStrictEqual(await linesOf(stores, { ...noFilter, liveAt: start + 4 }), ['ada maps']);
    deepStrictEqual(await linesOf(stores, { ...noFilter, liveAt: start + 5 }), []);
    deepStrictEqual(await linesOf(stores), ['ada maps']);
  },

  'a filter can exclude grants that expire at or after a given time or never expire': async (stores) => {
    const { ada, bob, maps } = await setUp(stores);
    await grant(stores, toClientPair(ada.id, maps.id), { expiresAt: start + 5 });
    await grant(stores, toClientPair(bob.id, maps.id));
    deepStrictEqual(await linesOf(stores, { ...noFilter, expiringBefore: start + 5 }), []);
    deepStrictEqual(await linesOf(stores, { ...noFilter, expiringBefore: start + 6 }), ['ada maps']);
  },

  'key expiries are returned for the requested profiles whose keys expire': async (stores) => {
    const { ada, bob } = await setUp(stores);
    deepStrictEqual(await stores.accessMatrix.findKeyExpiries([ada.id, bob.id]), new Map());
    for (const [{ id }, expiresAt] of [
      [ada, start + 7],
      [bob, null],
    ] as const)
      await stores.profiles.update(id, ({ profile }) => ({
        profile,
        key: { current: { hash: 'h', tag: 1 }, previous: null, expiresAt },
        ...noEffects,
      }));
    deepStrictEqual(await stores.accessMatrix.findKeyExpiries([bob.id, ada.id]), new Map([[ada.id, start + 7]]));
    deepStrictEqual(await stores.accessMatrix.findKeyExpiries([bob.id, nextId()]), new Map());
    deepStrictEqual(await stores.accessMatrix.findKeyExpiries([]), new Map());
  },
} satisfies Contract<Stores>;

/** Adds Ada (a member of the crew), Bob, and the collection `maps`, which is not granted to anyone. */
const setUp = async (stores: Stores) => {
  const ada = await addClient(stores, 'ada');
  const bob = await addClient(stores, 'bob');
  const crew = await addGroup(stores, 'crew');
  await addMember(stores, crew, ada);
  return { ada, bob, crew, maps: await addCollection(stores, 'maps') };
};

const addClient = async ({ profiles }: Stores, name: string): Promise<Profile> => {
  const profile = aProfile({ email: `${name}@example.com` });
  await profiles.add(profile, noEffects);
  return profile;
};

const addCollection = async ({ collections }: Stores, name: string): Promise<Collection> => {
  const collection = aCollection({ name });
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const addGroup = async ({ groups }: Stores, name: string): Promise<Group> => {
  const id = nextId<ProfileId>() as string as GroupId;
  const group: Group = { id, name, description: '', tier: null, createdAt: start, updatedAt: start };
  await groups.add(group, noEffects);
  return group;
};

const addMember = ({ groups }: Stores, { id }: Group, { id: profile }: Profile): Promise<void> =>
  groups.updateMembers(id, [profile], start, () => ({ add: [{ id: profile, addedAt: start }], ...noEffects }));

const grant = ({ grants }: Stores, pair: Pair, fields: Partial<Grant> = {}): Promise<void> =>
  grants.update([pair], () => ({
    put: [{ ...pair, grantedAt: start, expiresAt: null, rule: null, ...fields }],
    ...noEffects,
  }));

/** Formats each row as `client collection group`. */
const linesOf = async (
  { accessMatrix }: Stores,
  filter = noFilter,
  cursor: Parameters<Stores['accessMatrix']['listRows']>[1] = null,
): Promise<string[]> =>
  (await accessMatrix.listRows(filter, cursor, rowLimit)).map(({ client, collection, grant }) =>
    [client.email.replace(/@.*/, ''), collection.name, ...(grant.group ? [grant.group.name] : [])].join(' '),
  );
