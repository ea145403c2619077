import { existsSync } from 'node:fs';
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../api-client.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { colleague, colleagueChanges, createWorld, people, type World } from './world.ts';

export interface Key {
  readonly clientId: string;
  readonly secret: string;
}

/** One way of doing the administrator's day. Every call or command of it goes through the ledger first. */
export interface Way {
  readonly title: string;
  /** Imports every document of the folder; returns the names of the collections that were made. */
  importAll(): Promise<readonly string[]>;
  approveAll(): Promise<ReadonlyMap<string, Key>>;
  /** Each person has one of the two tiers afterwards. */
  setTiers(): Promise<void>;
  override(email: string): Promise<void>;
  grantAll(collections: readonly string[]): Promise<void>;
  /** How many lines the answer to "who may what" has. */
  whoMayWhat(): Promise<number>;
  /** Who used the collection in the last week, by e-mail. */
  whoUsed(collection: string): Promise<readonly string[]>;
  /** The actions of the colleague. */
  whatChanged(actor: string): Promise<readonly string[]>;
  rotate(email: string): Promise<Key>;
  suspend(email: string): Promise<void>;
  backUp(file: string): Promise<void>;
}

export const tiers = { gold: 1_200, silver: 300 } as const;
export const overridden = 5_000;
const granted = 8;
const leaked = people[2] ?? '';
const leaver = people[9] ?? '';
const favoured = people[0] ?? '';

/** Does the whole day on a fresh service, and checks what has become of it. Returns how many calls or commands it took. */
export const doDay = async (
  createWay: (world: World, ledger: Ledger) => Way,
  say: (line: string) => void,
): Promise<number> => {
  const world = await createWorld();
  try {
    await colleagueChanges(world);
    const ledger = createLedger(say);
    const way = createWay(world, ledger);
    say(`\n${way.title}`);
    const names = await way.importAll();
    assert.equal(names.length, world.documentCount, 'every document is a collection');
    const keys = await way.approveAll();
    assert.deepEqual([...keys.keys()].sort(), [...people], 'all who waited are approved');
    await way.setTiers();
    await way.override(favoured);
    const collections = names.slice(0, granted);
    await way.grantAll(collections);
    const [used = ''] = collections;
    const users = people.slice(3, 5);
    await useAsClients(world, keys, users, used);
    assert.equal(await way.whoMayWhat(), people.length * granted, 'who may what has every pair');
    assert.deepEqual(await way.whoUsed(used), users, 'who used it');
    assert.deepEqual(await way.whatChanged(colleague), ['tier.create'], 'what the colleague changed');
    const fresh = await way.rotate(leaked);
    await way.suspend(leaver);
    const backup = `${world.folder}/monday.tar`;
    await way.backUp(backup);
    await checkState(world, { keys, fresh, backup });
    say(`      = ${ledger.count()} calls or commands, and no id was copied.`);
    return ledger.count();
  } finally {
    await world.end();
  }
};

interface Listed {
  readonly id: string;
  readonly name: string;
}

/** The clients read a document each; counts are written every few seconds. */
const useAsClients = async (
  { api, admin }: World,
  keys: ReadonlyMap<string, Key>,
  users: readonly string[],
  collection: string,
): Promise<void> => {
  const found = (await api.ask<readonly Listed[]>(admin, 'GET', '/api/collections/')).find(
    ({ name }) => name === collection,
  );
  for (const email of users) await api.ask(keyOf(keys, email), 'GET', `/api/collections/${found?.id ?? ''}`);
  for (let attempt = 0; attempt < 300; attempt++) {
    const own = await Promise.all(users.map((email) => api.ask<unknown[]>(keyOf(keys, email), 'GET', '/api/usage')));
    if (own.every(({ length }) => length > 0)) return;
    await pause(100);
  }
  throw new Error('The uses were not counted after 30 s');
};

const keyOf = (keys: ReadonlyMap<string, Key>, email: string): Key => {
  const key = keys.get(email);
  assert(key, `${email} has a key`);
  return key;
};

interface After {
  readonly keys: ReadonlyMap<string, Key>;
  readonly fresh: Key;
  readonly backup: string;
}

/** As clients see it. */
const checkState = async ({ api }: World, { keys, fresh, backup }: After): Promise<void> => {
  const limits: number[] = [];
  for (const email of people.slice(0, 9)) {
    const key = email === leaked ? fresh : keyOf(keys, email);
    limits.push(await limitOf(api, key));
  }
  assert.equal(limits[0], overridden, 'the override holds');
  const ofTiers: readonly number[] = Object.values(tiers);
  assert(
    limits.slice(1).every((limit) => ofTiers.includes(limit)),
    `everybody else has a tier: ${limits.join(', ')}`,
  );
  assert(new Set(limits.slice(1)).size === 2, 'both tiers are assigned');
  const statusOf = async (key: Key) => (await api.call(key, 'GET', '/api/usage')).status;
  assert.equal(await statusOf(keyOf(keys, leaked)), 401, 'the leaked secret is refused');
  assert.equal(await statusOf(keyOf(keys, leaver)), 401, 'the person who left is refused');
  assert(existsSync(backup), 'there is a backup');
};

const limitOf = async (api: ApiClient, key: Key): Promise<number> =>
  (await api.ask<{ allowed_limit: number }>(key, 'GET', `/api/rate-limits/effective/${key.clientId}`)).allowed_limit;
