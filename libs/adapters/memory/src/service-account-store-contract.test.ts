import { serviceAccountStoreContract } from '@portico/contracts';
import { nameKey, type AccountState } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, find, list, remove, update } = breachesOf('serviceAccounts');

/** An update whose decision is changed. */
const updating = (alter: (after: AccountState, before: AccountState) => Partial<AccountState>) =>
  update.deciding((change, [state]) => ({ ...change, ...alter(change, state) }));

proveStores('the memory service account store', serviceAccountStoreContract, {
  'an added account is found by its id, as it was given': find.returning(
    (found) => found && { ...found, createdBy: null },
  ),
  'an id that no account has finds nothing': find.instead(
    async ([id], right) => (await right.find(id)) ?? (await right.list())[0] ?? null,
  ),
  'the decision about an addition gets the number of stored accounts': add.misleading(([stored]) => [
    Math.min(stored, 1),
  ]),
  'concurrent additions each see the one before': add.stale(),
  'an addition stores the key and writes its effects': add.withoutEffects(),
  'an addition under a taken name, whatever its case, is refused, and nothing is written': add.leaking(),
  'of concurrent additions of one name, exactly one succeeds': add.instead(
    async ([decide], right, { serviceAccounts }) => {
      const { account, key } = decide(serviceAccounts.size);
      const taken = [...serviceAccounts.values()].some((one) => nameKey(one.account.name) === nameKey(account.name));
      if (taken) return right.add(decide);
      await pause();
      serviceAccounts.set(account.id, { account, key });
    },
  ),
  'an addition rethrows what its decision throws, and writes nothing': add.hushing(),
  'accounts are listed by name without regard to case': list.returning((accounts) =>
    accounts.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ),
  'an update decides on the current state, stores account and key, and returns the account': updating(
    ({ account }, before) => ({ account: { ...account, expiresAt: account.expiresAt ?? before.account.expiresAt } }),
  ),
  'an update without a key removes it': updating(({ key }, before) => ({ key: key ?? before.key })),
  'an update writes its effects': update.withoutEffects(),
  'an account may be renamed to its own name in another case, but not to that of another': update.leaking(),
  'an update rethrows what its decision throws, and changes nothing': update.leaking(),
  'an update of a missing account is refused before the decision': update.instead(
    async ([id, decide], right, { serviceAccounts }) => {
      const [any] = serviceAccounts.values();
      return serviceAccounts.has(id) || !any ? right.update(id, decide) : decide(any).account;
    },
  ),
  'concurrent updates of one account each see the one before': update.stale(),
  'a removal decides on the account, removes only it and writes its effects': remove.withoutEffects(),
  'the collections and entries of a removed account stay': remove.followed(({ collections }, [id]) => {
    for (const { id: collection, createdBy } of collections.values())
      if ((createdBy as string) === id) collections.delete(collection);
  }),
  'a removal rethrows what its decision throws, and removes nothing': remove.leaking(),
  'a removal of a missing account is refused before the decision': remove.instead(
    async ([id, decide], right, { serviceAccounts }) => {
      const [any] = serviceAccounts.values();
      if (serviceAccounts.has(id) || !any) await right.remove(id, decide);
      else decide(any.account);
    },
  ),
});
