import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { scopes, type AccountState, type ServiceAccount } from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aContent,
  anAccount,
  anAccountKey,
  anEntry,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `ServiceAccountStore`. */
export const serviceAccountStoreContract = {
  'an added account is found by its id, unchanged': async (stores) => {
    const account = await addAccount(stores, anAccount({ scopes: [...scopes] }));
    const plain = await addAccount(stores, anAccount({ expiresAt: null, createdBy: null, scopes: ['usage:read'] }));
    for (const each of [account, plain]) deepStrictEqual(await stores.serviceAccounts.find(each.id), each);
  },

  'an id without an account finds nothing': async (stores) => {
    await addAccount(stores);
    strictEqual(await stores.serviceAccounts.find(nextId()), null);
  },

  'the decision about an addition gets the number of stored accounts': async (stores) => {
    const seen: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await stores.serviceAccounts.add((stored) => {
        seen.push(stored);
        return { account: anAccount(), key: anAccountKey(), ...noEffects };
      });
    }
    deepStrictEqual(seen, [0, 1, 2]);
  },

  'concurrent additions each see the previous one': async (stores) => {
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        stores.serviceAccounts.add((stored) => {
          seen.push(stored);
          return { account: anAccount(), key: anAccountKey(), ...noEffects };
        }),
      ),
    );
    deepStrictEqual(
      [...new Set(seen)].sort((a, b) => a - b),
      Array.from({ length: 10 }, (_, at) => at),
    );
  },

  'an addition stores the key and writes its effects': async (stores) => {
    const [account, effects] = [anAccount(), someEffects()];
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...effects }));
    deepStrictEqual(await stateOf(stores, account), { account, key: anAccountKey() });
    await assertWritten(stores, effects);
  },

  'an addition whose name is taken, ignoring case, is rejected, and nothing is written': async (stores) => {
    const account = await addAccount(stores, anAccount({ name: 'Größe' }));
    const second = { account: anAccount({ name: 'gRÖße' }), key: anAccountKey(), ...someEffects() };
    await assertRejects(
      stores.serviceAccounts.add(() => second),
      'service_account_taken',
    );
    deepStrictEqual(await stores.serviceAccounts.list(), [account]);
    await assertWritten(stores);
  },

  'of concurrent additions of one name, exactly one succeeds': async (stores) => {
    await assertOneWins(
      () =>
        stores.serviceAccounts.add(() => ({ account: anAccount({ name: 'ci' }), key: anAccountKey(), ...noEffects })),
      'service_account_taken',
    );
    strictEqual((await stores.serviceAccounts.list()).length, 1);
  },

  'an addition rethrows an error from the decision and writes nothing': async (stores) => {
    await assertRejects(stores.serviceAccounts.add(failDecision), 'already_approved');
    deepStrictEqual(await stores.serviceAccounts.list(), []);
    await assertWritten(stores);
  },

  'accounts are listed by name, ignoring case': async (stores) => {
    for (const name of ['b', 'C', 'a', 'ä', 'B2', 'z']) await addAccount(stores, anAccount({ name }));
    deepStrictEqual(
      (await stores.serviceAccounts.list()).map(({ name }) => name),
      ['a', 'b', 'B2', 'C', 'z', 'ä'],
    );
  },

  'an update decides on the current state, stores account and key, and returns the account': async (stores) => {
    const [account, other] = [await addAccount(stores), await addAccount(stores)];
    const changed = anAccount({
      ...account,
      name: 'new',
      scopes: ['usage:read'],
      expiresAt: null,
      updatedAt: start + 9,
    });
    const key = { ...anAccountKey(), previous: null };
    let seen: AccountState | null = null;
    const result = await stores.serviceAccounts.update(account.id, (state) => {
      seen = state;
      return { account: changed, key, ...noEffects };
    });
    deepStrictEqual([seen, result], [{ account, key: anAccountKey() }, changed]);
    deepStrictEqual(await stateOf(stores, account), { account: changed, key });
    deepStrictEqual(await stateOf(stores, other), { account: other, key: anAccountKey() });
  },

  'an update without a key removes it': async (stores) => {
    const account = await addAccount(stores);
    await stores.serviceAccounts.update(account.id, () => ({ account, key: null, ...noEffects }));
    deepStrictEqual(await stateOf(stores, account), { account, key: null });
  },

  'an update writes its effects': async (stores) => {
    const [account, effects] = [await addAccount(stores), someEffects()];
    await stores.serviceAccounts.update(account.id, (state) => ({ ...state, ...effects }));
    await assertWritten(stores, effects);
  },

  'an account may be renamed to its own name with different capitalization, but not to the name of another account':
    async (stores) => {
      const [account, other] = [await addAccount(stores, anAccount({ name: 'ci' })), await addAccount(stores)];
      const rename = (name: string) =>
        stores.serviceAccounts.update(account.id, (state) => ({
          ...someEffects(),
          ...state,
          account: { ...account, name },
        }));
      await assertRejects(rename(other.name.toUpperCase()), 'service_account_taken');
      await assertWritten(stores);
      strictEqual((await rename('CI')).name, 'CI');
      strictEqual((await stores.serviceAccounts.find(account.id))?.name, 'CI');
    },

  'an update rethrows an error from the decision and changes nothing': async (stores) => {
    const account = await addAccount(stores);
    await assertRejects(stores.serviceAccounts.update(account.id, failDecision), 'already_approved');
    deepStrictEqual(await stateOf(stores, account), { account, key: anAccountKey() });
    await assertWritten(stores);
  },

  'an update of a missing account throws before the decision': async (stores) => {
    await addAccount(stores);
    await assertRejects(stores.serviceAccounts.update(nextId(), failDecision), 'service_account_not_found');
  },

  'concurrent updates of one account each see the previous one': async (stores) => {
    const account = await addAccount(stores);
    const later = ({ account: current, key }: AccountState) => ({
      account: { ...current, updatedAt: current.updatedAt + 1 },
      key,
      ...noEffects,
    });
    await Promise.all(Array.from({ length: 20 }, () => stores.serviceAccounts.update(account.id, later)));
    strictEqual((await stores.serviceAccounts.find(account.id))?.updatedAt, account.updatedAt + 20);
  },

  'a removal decides on the account, removes only this account and writes its effects': async (stores) => {
    const [removed, remaining] = [await addAccount(stores), await addAccount(stores)];
    const effects = someEffects();
    let seen: ServiceAccount | null = null;
    await stores.serviceAccounts.remove(removed.id, (account) => {
      seen = account;
      return effects;
    });
    deepStrictEqual(seen, removed);
    deepStrictEqual(await stores.serviceAccounts.list(), [remaining]);
    await assertWritten(stores, effects);
  },

  'the collections and entries of a removed account stay': async (stores) => {
    const account = await addAccount(stores);
    const author = account.id as string as ReturnType<typeof aCollection>['createdBy'];
    const collection = aCollection({ createdBy: author });
    const entry = anEntry({ actorId: author });
    await stores.collections.add(collection, aContent(), { ...noEffects, entries: [entry] });
    await stores.serviceAccounts.remove(account.id, () => noEffects);
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    await assertWritten(stores, { entries: [entry], deadline: null });
  },

  'a removal rethrows an error from the decision and removes nothing': async (stores) => {
    const account = await addAccount(stores);
    await assertRejects(stores.serviceAccounts.remove(account.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.serviceAccounts.list(), [account]);
    await assertWritten(stores);
  },

  'a removal of a missing account throws before the decision': async (stores) => {
    await addAccount(stores);
    await assertRejects(stores.serviceAccounts.remove(nextId(), failDecision), 'service_account_not_found');
  },
} satisfies Contract<Stores>;

const addAccount = async ({ serviceAccounts }: Stores, account = anAccount()): Promise<ServiceAccount> => {
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  return account;
};

const stateOf = async ({ callers }: Stores, { id }: ServiceAccount): Promise<AccountState | null> => {
  const row = await callers.byAccountId(id, null);
  return row && { account: row.account, key: row.key };
};
