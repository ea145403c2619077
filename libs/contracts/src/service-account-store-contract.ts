import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { scopes, type AccountState, type ServiceAccount } from '@portico/domain';
import { assertOneWins, assertRefused, assertWritten, refuse } from './assertions.ts';
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

/** What `ServiceAccountStore` promises. */
export const serviceAccountStoreContract = {
  'an added account is found by its id, as it was given': async (stores) => {
    const account = await added(stores, anAccount({ scopes: [...scopes] }));
    const plain = await added(stores, anAccount({ expiresAt: null, createdBy: null, scopes: ['usage:read'] }));
    for (const each of [account, plain]) deepStrictEqual(await stores.serviceAccounts.find(each.id), each);
  },

  'an id that no account has finds nothing': async (stores) => {
    await added(stores);
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

  'concurrent additions each see the one before': async (stores) => {
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

  'an addition under a taken name, whatever its case, is refused, and nothing is written': async (stores) => {
    const account = await added(stores, anAccount({ name: 'Größe' }));
    const second = { account: anAccount({ name: 'gRÖße' }), key: anAccountKey(), ...someEffects() };
    await assertRefused(
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

  'an addition rethrows what its decision throws, and writes nothing': async (stores) => {
    await assertRefused(stores.serviceAccounts.add(refuse), 'already_approved');
    deepStrictEqual(await stores.serviceAccounts.list(), []);
    await assertWritten(stores);
  },

  'accounts are listed by name without regard to case': async (stores) => {
    for (const name of ['b', 'C', 'a', 'ä', 'B2', 'z']) await added(stores, anAccount({ name }));
    deepStrictEqual(
      (await stores.serviceAccounts.list()).map(({ name }) => name),
      ['a', 'b', 'B2', 'C', 'z', 'ä'],
    );
  },

  'an update decides on the current state, stores account and key, and returns the account': async (stores) => {
    const [account, other] = [await added(stores), await added(stores)];
    const changed = anAccount({
      ...account,
      name: 'new',
      scopes: ['usage:read'],
      expiresAt: null,
      updatedAt: start + 9,
    });
    const key = { ...anAccountKey(), previous: null };
    let seen: AccountState | null = null;
    const answer = await stores.serviceAccounts.update(account.id, (state) => {
      seen = state;
      return { account: changed, key, ...noEffects };
    });
    deepStrictEqual([seen, answer], [{ account, key: anAccountKey() }, changed]);
    deepStrictEqual(await stateOf(stores, account), { account: changed, key });
    deepStrictEqual(await stateOf(stores, other), { account: other, key: anAccountKey() });
  },

  'an update without a key removes it': async (stores) => {
    const account = await added(stores);
    await stores.serviceAccounts.update(account.id, () => ({ account, key: null, ...noEffects }));
    deepStrictEqual(await stateOf(stores, account), { account, key: null });
  },

  'an update writes its effects': async (stores) => {
    const [account, effects] = [await added(stores), someEffects()];
    await stores.serviceAccounts.update(account.id, (state) => ({ ...state, ...effects }));
    await assertWritten(stores, effects);
  },

  'an account may be renamed to its own name in another case, but not to that of another': async (stores) => {
    const [account, other] = [await added(stores, anAccount({ name: 'ci' })), await added(stores)];
    const rename = (name: string) =>
      stores.serviceAccounts.update(account.id, (state) => ({
        ...someEffects(),
        ...state,
        account: { ...account, name },
      }));
    await assertRefused(rename(other.name.toUpperCase()), 'service_account_taken');
    await assertWritten(stores);
    strictEqual((await rename('CI')).name, 'CI');
    strictEqual((await stores.serviceAccounts.find(account.id))?.name, 'CI');
  },

  'an update rethrows what its decision throws, and changes nothing': async (stores) => {
    const account = await added(stores);
    await assertRefused(stores.serviceAccounts.update(account.id, refuse), 'already_approved');
    deepStrictEqual(await stateOf(stores, account), { account, key: anAccountKey() });
    await assertWritten(stores);
  },

  'an update of a missing account is refused before the decision': async (stores) => {
    await added(stores);
    await assertRefused(stores.serviceAccounts.update(nextId(), refuse), 'service_account_not_found');
  },

  'concurrent updates of one account each see the one before': async (stores) => {
    const account = await added(stores);
    const later = ({ account: current, key }: AccountState) => ({
      account: { ...current, updatedAt: current.updatedAt + 1 },
      key,
      ...noEffects,
    });
    await Promise.all(Array.from({ length: 20 }, () => stores.serviceAccounts.update(account.id, later)));
    strictEqual((await stores.serviceAccounts.find(account.id))?.updatedAt, account.updatedAt + 20);
  },

  'a removal decides on the account, removes only it and writes its effects': async (stores) => {
    const [gone, stays] = [await added(stores), await added(stores)];
    const effects = someEffects();
    let seen: ServiceAccount | null = null;
    await stores.serviceAccounts.remove(gone.id, (account) => {
      seen = account;
      return effects;
    });
    deepStrictEqual(seen, gone);
    deepStrictEqual(await stores.serviceAccounts.list(), [stays]);
    await assertWritten(stores, effects);
  },

  'the collections and entries of a removed account stay': async (stores) => {
    const account = await added(stores);
    const author = account.id as string as ReturnType<typeof aCollection>['createdBy'];
    const collection = aCollection({ createdBy: author });
    const entry = anEntry({ actorId: author });
    await stores.collections.add(collection, aContent(), { ...noEffects, entries: [entry] });
    await stores.serviceAccounts.remove(account.id, () => noEffects);
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    await assertWritten(stores, { entries: [entry], deadline: null });
  },

  'a removal rethrows what its decision throws, and removes nothing': async (stores) => {
    const account = await added(stores);
    await assertRefused(stores.serviceAccounts.remove(account.id, refuse), 'already_approved');
    deepStrictEqual(await stores.serviceAccounts.list(), [account]);
    await assertWritten(stores);
  },

  'a removal of a missing account is refused before the decision': async (stores) => {
    await added(stores);
    await assertRefused(stores.serviceAccounts.remove(nextId(), refuse), 'service_account_not_found');
  },
} satisfies Contract<Stores>;

const added = async ({ serviceAccounts }: Stores, account = anAccount()): Promise<ServiceAccount> => {
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  return account;
};

const stateOf = async ({ callers }: Stores, { id }: ServiceAccount): Promise<AccountState | null> => {
  const row = await callers.byAccountId(id, null);
  return row && { account: row.account, key: row.key };
};
