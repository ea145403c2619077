import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  clientPair,
  type Collection,
  type Grant,
  type GroupId,
  groupPair,
  type Group,
  type MatrixFilter,
  nameKey,
  type Pair,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aContent, aProfile, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const all: MatrixFilter = { profile: null, group: null, collection: null, expiringBefore: null, liveAt: null };
const manyRows = 100;

/** The contract of `AccessMatrix`. */
export const accessMatrixContract = {
  'a row names the client and the collection, and how access was granted': async (stores) => {
    const { ada, maps, crew } = await setUp(stores);
    await grant(stores, clientPair(ada.id, maps.id), { expiresAt: start + 9 });
    deepStrictEqual(await stores.accessMatrix.rows(all, null, manyRows), [
      {
        client: ada,
        collection: { id: maps.id, name: maps.name },
        way: { group: null, grantedAt: start, expiresAt: start + 9 },
      },
    ]);
    await grant(stores, groupPair(crew.id, maps.id));
    deepStrictEqual((await stores.accessMatrix.rows(all, null, manyRows))[1]?.way, {
      group: { id: crew.id, name: crew.name },
      grantedAt: start,
      expiresAt: null,
    });
  },

  'a client has the grants of a group once, whether it was added to the group, claims it, or both': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    await grant(stores, groupPair(crew.id, maps.id));
    deepStrictEqual(await linesOf(stores), ['ada maps crew']);
    for (const { id } of [ada, bob]) {
      const claims = { names: [crew.name], issuedAt: start, seenAt: start };
      await stores.groups.syncClaims(id, claims, () => noEffects);
    }
    deepStrictEqual(await linesOf(stores), ['ada maps crew', 'bob maps crew']);
  },

  'admins are left out': async (stores) => {
    const { maps } = await setUp(stores);
    const admin = aProfile({ role: 'admin' });
    await stores.profiles.add(admin, noEffects);
    await grant(stores, clientPair(admin.id, maps.id));
    deepStrictEqual(await linesOf(stores), []);
  },

  'rows are sorted by e-mail, collection sort key and group name, with own grants first': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    const able = await addGroup(stores, 'able');
    await addMember(stores, able, ada);
    for (const pair of [
      ...[bob, ada].flatMap(({ id }) => [clientPair(id, maps.id), clientPair(id, atlas.id)]),
      groupPair(crew.id, maps.id),
      groupPair(able.id, maps.id),
    ])
      await grant(stores, pair);
    const sorted = ['ada Atlas', 'ada maps', 'ada maps able', 'ada maps crew', 'bob Atlas', 'bob maps'];
    deepStrictEqual(await linesOf(stores), sorted);
  },

  'a page starts after its cursor, whether or not that row exists': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    for (const pair of [
      clientPair(ada.id, maps.id),
      clientPair(ada.id, atlas.id),
      clientPair(bob.id, maps.id),
      groupPair(crew.id, maps.id),
    ])
      await grant(stores, pair);
    const sorted = ['ada Atlas', 'ada maps', 'ada maps crew', 'bob maps'];
    const cursors = (await stores.accessMatrix.rows(all, null, manyRows)).map(({ client, collection, way }) => ({
      email: client.email,
      nameKey: nameKey(collection.name),
      collectionId: collection.id,
      groupName: way.group?.name ?? '',
    }));
    for (const [at, cursor] of cursors.entries())
      deepStrictEqual(await linesOf(stores, all, cursor), sorted.slice(at + 1));
    const missing = { email: 'b@example.com', nameKey: 'x', collectionId: nextId(), groupName: '' };
    deepStrictEqual(await linesOf(stores, all, missing), ['bob maps']);
  },

  'a page has at most the requested number of rows': async (stores) => {
    const { ada, bob, maps } = await setUp(stores);
    for (const { id } of [ada, bob]) await grant(stores, clientPair(id, maps.id));
    strictEqual((await stores.accessMatrix.rows(all, null, 1)).length, 1);
  },

  'many clients without a row do not hide the rows behind them': async (stores) => {
    const { maps } = await setUp(stores);
    for (let at = 0; at < 400; at++) await addClient(stores, `m${at}`);
    const zoe = await addClient(stores, 'zoe');
    await grant(stores, clientPair(zoe.id, maps.id));
    deepStrictEqual(await linesOf(stores, { ...all, collection: { by: 'id', id: maps.id } }), ['zoe maps']);
  },

  'a filter names a profile, a group or a collection by its id or its name': async (stores) => {
    const { ada, bob, maps, crew } = await setUp(stores);
    const atlas = await addCollection(stores, 'Atlas');
    await grant(stores, clientPair(bob.id, atlas.id));
    await grant(stores, groupPair(crew.id, maps.id));
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
      deepStrictEqual([filter, await linesOf(stores, { ...all, ...filter })], [filter, expected]);
    deepStrictEqual(await linesOf(stores, { ...all, profile: { by: 'name', name: 'no@example.com' } }), []);
  },

  'a filter can exclude grants that had expired at a given millisecond': async (stores) => {
    const { ada, maps } = await setUp(stores);
    await grant(stores, clientPair(ada.id, maps.id), { expiresAt: start + 5 });
    deepStrictEqual(await linesOf(stores, { ...all, liveAt: start + 4 }), ['ada maps']);
    deepStrictEqual(await linesOf(stores, { ...all, liveAt: start + 5 }), []);
    deepStrictEqual(await linesOf(stores), ['ada maps']);
  },

  'a filter can exclude grants that expire at or after a given time, or never': async (stores) => {
    const { ada, bob, maps } = await setUp(stores);
    await grant(stores, clientPair(ada.id, maps.id), { expiresAt: start + 5 });
    await grant(stores, clientPair(bob.id, maps.id));
    deepStrictEqual(await linesOf(stores, { ...all, expiringBefore: start + 5 }), []);
    deepStrictEqual(await linesOf(stores, { ...all, expiringBefore: start + 6 }), ['ada maps']);
  },

  'key expiries are returned for the requested profiles, without keys that never expire': async (stores) => {
    const { ada, bob } = await setUp(stores);
    deepStrictEqual(await stores.accessMatrix.keyExpiries([ada.id, bob.id]), new Map());
    for (const [{ id }, expiresAt] of [
      [ada, start + 7],
      [bob, null],
    ] as const)
      await stores.profiles.update(id, ({ profile }) => ({
        profile,
        key: { current: { hash: 'h', tag: 1 }, previous: null, expiresAt },
        ...noEffects,
      }));
    deepStrictEqual(await stores.accessMatrix.keyExpiries([bob.id, ada.id]), new Map([[ada.id, start + 7]]));
    deepStrictEqual(await stores.accessMatrix.keyExpiries([bob.id, nextId()]), new Map());
    deepStrictEqual(await stores.accessMatrix.keyExpiries([]), new Map());
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
  await collections.add(collection, aContent(), noEffects);
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

const grant = ({ grants }: Stores, pair: Pair, facts: Partial<Grant> = {}): Promise<void> =>
  grants.update([pair], () => ({ put: [{ ...pair, grantedAt: start, expiresAt: null, ...facts }], ...noEffects }));

/** Formats each row as `client collection group`. */
const linesOf = async (
  { accessMatrix }: Stores,
  filter = all,
  after: Parameters<Stores['accessMatrix']['rows']>[1] = null,
): Promise<string[]> =>
  (await accessMatrix.rows(filter, after, manyRows)).map(({ client, collection, way }) =>
    [client.email.replace(/@.*/, ''), collection.name, ...(way.group ? [way.group.name] : [])].join(' '),
  );
