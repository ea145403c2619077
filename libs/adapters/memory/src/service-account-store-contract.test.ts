import { serviceAccountStoreContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import {
  nameKey,
  type AccountState,
  type ServiceAccount,
  type ServiceAccountId,
  type ServiceAccountStore,
} from '@portico/domain';
import { describe } from 'vitest';
import { breaking, hushed, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

/** An update whose decision is changed. */
const updating = (alter: (after: AccountState, before: AccountState) => Partial<AccountState>) =>
  breaking('serviceAccounts', (right) => ({
    update: (id, decide) =>
      right.update(id, (state) => {
        const change = decide(state);
        return { ...change, ...alter(change, state) };
      }),
  }));

const finding = (found: (right: ServiceAccountStore, id: ServiceAccountId) => Promise<ServiceAccount | null>) =>
  breaking('serviceAccounts', (right) => ({ find: (id) => found(right, id) }));

const sabotages: Sabotages<typeof serviceAccountStoreContract, Stores> = {
  'an added account is found by its id, as it was given': finding(async (right, id) => {
    const found = await right.find(id);
    return found && { ...found, createdBy: null };
  }),
  'an id that no account has finds nothing': finding(
    async (right, id) => (await right.find(id)) ?? (await right.list())[0] ?? null,
  ),
  'the decision about an addition gets the number of stored accounts': breaking('serviceAccounts', (right) => ({
    add: (decide) => right.add((stored) => decide(Math.min(stored, 1))),
  })),
  'concurrent additions each see the one before': breaking(
    'serviceAccounts',
    (right, _stores, { serviceAccounts }) => ({
      add: async (decide) => {
        const change = decide(serviceAccounts.size);
        await pause();
        await right.add(() => change);
      },
    }),
  ),
  'an addition stores the key and writes its effects': breaking('serviceAccounts', (right) => ({
    add: (decide) => right.add(silently(decide)),
  })),
  'an addition under a taken name, whatever its case, is refused, and nothing is written': breaking(
    'serviceAccounts',
    (right, stores) => ({ add: (decide) => leaking(stores, right.add(decide)) }),
  ),
  'of concurrent additions of one name, exactly one succeeds': breaking(
    'serviceAccounts',
    (right, _stores, { serviceAccounts }) => ({
      add: async (decide) => {
        const { account, key } = decide(serviceAccounts.size);
        const taken = [...serviceAccounts.values()].some((one) => nameKey(one.account.name) === nameKey(account.name));
        if (taken) return right.add(decide);
        await pause();
        serviceAccounts.set(account.id, { account, key });
      },
    }),
  ),
  'an addition rethrows what its decision throws, and writes nothing': breaking('serviceAccounts', (right) => ({
    add: (decide) => hushed(right.add(decide), undefined),
  })),
  'accounts are listed by name without regard to case': breaking('serviceAccounts', (right) => ({
    list: async () => (await right.list()).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  })),
  'an update decides on the current state, stores account and key, and returns the account': updating(
    ({ account }, before) => ({ account: { ...account, expiresAt: account.expiresAt ?? before.account.expiresAt } }),
  ),
  'an update without a key removes it': updating(({ key }, before) => ({ key: key ?? before.key })),
  'an update writes its effects': breaking('serviceAccounts', (right) => ({
    update: (id, decide) => right.update(id, silently(decide)),
  })),
  'an account may be renamed to its own name in another case, but not to that of another': breaking(
    'serviceAccounts',
    (right, stores) => ({ update: (id, decide) => leaking(stores, right.update(id, decide)) }),
  ),
  'an update rethrows what its decision throws, and changes nothing': breaking('serviceAccounts', (right, stores) => ({
    update: (id, decide) => leaking(stores, right.update(id, decide)),
  })),
  'an update of a missing account is refused before the decision': breaking(
    'serviceAccounts',
    (right, _stores, { serviceAccounts }) => ({
      update: async (id, decide) => {
        const [any] = serviceAccounts.values();
        return serviceAccounts.has(id) || !any ? right.update(id, decide) : decide(any).account;
      },
    }),
  ),
  'concurrent updates of one account each see the one before': breaking(
    'serviceAccounts',
    (right, _stores, { serviceAccounts }) => ({
      update: async (id, decide) => {
        const before = serviceAccounts.get(id);
        await pause();
        return right.update(id, (state) => decide(before ?? state));
      },
    }),
  ),
  'a removal decides on the account, removes only it and writes its effects': breaking('serviceAccounts', (right) => ({
    remove: (id, decide) =>
      right.remove(id, (account) => {
        decide(account);
        return noEffects;
      }),
  })),
  'the collections and entries of a removed account stay': breaking(
    'serviceAccounts',
    (right, _stores, { collections }) => ({
      remove: async (id, decide) => {
        await right.remove(id, decide);
        for (const { id: collection, createdBy } of collections.values())
          if ((createdBy as string) === id) collections.delete(collection);
      },
    }),
  ),
  'a removal rethrows what its decision throws, and removes nothing': breaking('serviceAccounts', (right, stores) => ({
    remove: (id, decide) => leaking(stores, right.remove(id, decide)),
  })),
  'a removal of a missing account is refused before the decision': breaking(
    'serviceAccounts',
    (right, _stores, { serviceAccounts }) => ({
      remove: async (id, decide) => {
        const [any] = serviceAccounts.values();
        if (serviceAccounts.has(id) || !any) await right.remove(id, decide);
        else decide(any.account);
      },
    }),
  ),
};

describe('the memory service account store', () => {
  proveContract(serviceAccountStoreContract, sabotages, createMemoryStores);
});
