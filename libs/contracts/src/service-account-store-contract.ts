import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { scopes, type AccountState, type ServiceAccount } from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
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
  'looking up an account by its id returns it exactly as it was added': async (stores) => {
    const account = await addAccount(stores, anAccount({ scopes: [...scopes] }));
    const plainAccount = await addAccount(
      stores,
      anAccount({ expiresAt: null, createdBy: null, scopes: ['usage:read'] }),
    );
    for (const addedAccount of [account, plainAccount])
      deepStrictEqual(await stores.serviceAccounts.find(addedAccount.id), addedAccount);
  },

  'looking up an id without an account returns nothing': async (stores) => {
    await addAccount(stores);
    strictEqual(await stores.serviceAccounts.find(nextId()), null);
  },

  'the decision about a new account sees the number of stored accounts': async (stores) => {
    const counts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      await stores.serviceAccounts.add((storedCount) => {
        counts.push(storedCount);
        return { account: anAccount(), key: anAccountKey(), ...noEffects };
      });
    }
    deepStrictEqual(counts, [0, 1, 2]);
  },

  'concurrent additions each see the previous one': async (stores) => {
    const counts: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        stores.serviceAccounts.add((storedCount) => {
          counts.push(storedCount);
          return { account: anAccount(), key: anAccountKey(), ...noEffects };
        }),
      ),
    );
    deepStrictEqual(
      [...new Set(counts)].sort((a, b) => a - b),
      Array.from({ length: 10 }, (_, index) => index),
    );
  },

  'adding an account stores its key and writes its effects': async (stores) => {
    const [account, effects] = [anAccount(), someEffects()];
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...effects }));
    deepStrictEqual(await stateOf(stores, account), { account, key: anAccountKey() });
    await assertWritten(stores, effects);
  },

  'adding an account whose name is taken, ignoring case, is rejected, and nothing is written': async (stores) => {
    const account = await addAccount(stores, anAccount({ name: 'Größe' }));
    const duplicate = { account: anAccount({ name: 'gRÖße' }), key: anAccountKey(), ...someEffects() };
    await assertRejects(
      stores.serviceAccounts.add(() => duplicate),
      'service_account_taken',
    );
    deepStrictEqual(await stores.serviceAccounts.list(), [account]);
    await assertWritten(stores);
  },

  'when the same name is added concurrently, only one call succeeds': async (stores) => {
    await assertOneSucceeds(
      () =>
        stores.serviceAccounts.add(() => ({ account: anAccount({ name: 'ci' }), key: anAccountKey(), ...noEffects })),
      'service_account_taken',
    );
    strictEqual((await stores.serviceAccounts.list()).length, 1);
  },

  'adding an account rethrows an error from the decision and writes nothing': async (stores) => {
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

  'an update bases its decision on the current state, stores the account and its key, and returns the account': async (
    stores,
  ) => {
    const [account, otherAccount] = [await addAccount(stores), await addAccount(stores)];
    const updatedAccount = anAccount({
      ...account,
      name: 'new',
      scopes: ['usage:read'],
      expiresAt: null,
      updatedAt: start + 9,
    });
    const key = { ...anAccountKey(), previous: null };
    let capturedState: AccountState | null = null;
    const result = await stores.serviceAccounts.update(account.id, (state) => {
      capturedState = state;
      return { account: updatedAccount, key, ...noEffects };
    });
    deepStrictEqual([capturedState, result], [{ account, key: anAccountKey() }, updatedAccount]);
    deepStrictEqual(await stateOf(stores, account), { account: updatedAccount, key });
    deepStrictEqual(await stateOf(stores, otherAccount), { account: otherAccount, key: anAccountKey() });
  },

  'an update without a key removes the stored key': async (stores) => {
    const account = await addAccount(stores);
    await stores.serviceAccounts.update(account.id, () => ({ account, key: null, ...noEffects }));
    deepStrictEqual(await stateOf(stores, account), { account, key: null });
  },

  'an update writes its effects': async (stores) => {
    const [account, effects] = [await addAccount(stores), someEffects()];
    await stores.serviceAccounts.update(account.id, (state) => ({ ...state, ...effects }));
    await assertWritten(stores, effects);
  },

  'an account may be renamed to its own name with different capitalization, but not to the name of a different account':
    async (stores) => {
      const [account, otherAccount] = [await addAccount(stores, anAccount({ name: 'ci' })), await addAccount(stores)];
      const rename = (name: string) =>
        stores.serviceAccounts.update(account.id, (state) => ({
          ...someEffects(),
          ...state,
          account: { ...account, name },
        }));
      await assertRejects(rename(otherAccount.name.toUpperCase()), 'service_account_taken');
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

  'updating a missing account throws before the decision is called': async (stores) => {
    await addAccount(stores);
    await assertRejects(stores.serviceAccounts.update(nextId(), failDecision), 'service_account_not_found');
  },

  'concurrent updates of the same account each see the previous update': async (stores) => {
    const account = await addAccount(stores);
    const incrementUpdatedAt = ({ account: current, key }: AccountState) => ({
      account: { ...current, updatedAt: current.updatedAt + 1 },
      key,
      ...noEffects,
    });
    await Promise.all(Array.from({ length: 20 }, () => stores.serviceAccounts.update(account.id, incrementUpdatedAt)));
    strictEqual((await stores.serviceAccounts.find(account.id))?.updatedAt, account.updatedAt + 20);
  },

  'a removal bases its decision on the account, removes only this account and writes its effects': async (stores) => {
    const [removedAccount, remainingAccount] = [await addAccount(stores), await addAccount(stores)];
    const effects = someEffects();
    let capturedAccount: ServiceAccount | null = null;
    await stores.serviceAccounts.remove(removedAccount.id, (account) => {
      capturedAccount = account;
      return effects;
    });
    deepStrictEqual(capturedAccount, removedAccount);
    deepStrictEqual(await stores.serviceAccounts.list(), [remainingAccount]);
    await assertWritten(stores, effects);
  },

  'removing an account keeps its collections and its audit entries': async (stores) => {
    const account = await addAccount(stores);
    const author = account.id as string as ReturnType<typeof aCollection>['createdBy'];
    const collection = aCollection({ createdBy: author });
    const entry = anEntry({ actorId: author });
    await stores.collections.add(collection, aDocumentContent(), { ...noEffects, entries: [entry] });
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

  'removing a missing account throws before the decision is called': async (stores) => {
    await addAccount(stores);
    await assertRejects(stores.serviceAccounts.remove(nextId(), failDecision), 'service_account_not_found');
  },
} satisfies Contract<Stores>;

const addAccount = async ({ serviceAccounts }: Stores, account = anAccount()): Promise<ServiceAccount> => {
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  return account;
};

const stateOf = async ({ callers }: Stores, { id }: ServiceAccount): Promise<AccountState | null> => {
  const row = await callers.findByAccountId(id, null);
  return row && { account: row.account, key: row.key };
};
