import { serviceAccountStoreContract } from '@portico/contracts';
import { nameKey, type AccountState } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, find, list, remove, update } = breachesOf('serviceAccounts');

/** Changes an update's decision. */
const mapUpdate = (alter: (after: AccountState, before: AccountState) => Partial<AccountState>) =>
  update.mapDecision((change, [state]) => ({ ...change, ...alter(change, state) }));

proveStores('the memory service account store', serviceAccountStoreContract, {
  'an added account is found by its id, unchanged': find.mapResult(
    (account) => account && { ...account, createdBy: null },
  ),
  'an id without an account finds nothing': find.replaceWith(
    async ([id], original) => (await original.find(id)) ?? (await original.list())[0] ?? null,
  ),
  'the decision about an addition gets the number of stored accounts': add.mapDecisionInput(([stored]) => [
    Math.min(stored, 1),
  ]),
  'concurrent additions each see the previous one': add.applyStaleDecision(),
  'an addition stores the key and writes its effects': add.withoutEffects(),
  'an addition whose name is taken, ignoring case, is rejected, and nothing is written': add.writeEntryOnFailure(),
  'of concurrent additions of one name, exactly one succeeds': add.replaceWith(
    async ([decide], original, { serviceAccounts }) => {
      const { account, key } = decide(serviceAccounts.size);
      const isTaken = [...serviceAccounts.values()].some((one) => nameKey(one.account.name) === nameKey(account.name));
      if (isTaken) return original.add(decide);
      await pause();
      serviceAccounts.set(account.id, { account, key });
    },
  ),
  'an addition rethrows an error from the decision and writes nothing': add.ignoreErrors(),
  'accounts are listed by name, ignoring case': list.mapResult((accounts) =>
    accounts.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ),
  'an update decides on the current state, stores account and key, and returns the account': mapUpdate(
    ({ account }, before) => ({ account: { ...account, expiresAt: account.expiresAt ?? before.account.expiresAt } }),
  ),
  'an update without a key removes it': mapUpdate(({ key }, before) => ({ key: key ?? before.key })),
  'an update writes its effects': update.withoutEffects(),
  'an account may be renamed to its own name with different capitalization, but not to the name of another account':
    update.writeEntryOnFailure(),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'an update of a missing account throws before the decision': update.replaceWith(
    async ([id, decide], original, { serviceAccounts }) => {
      const [any] = serviceAccounts.values();
      return serviceAccounts.has(id) || !any ? original.update(id, decide) : decide(any).account;
    },
  ),
  'concurrent updates of one account each see the previous one': update.applyStaleDecision(),
  'a removal decides on the account, removes only this account and writes its effects': remove.withoutEffects(),
  'the collections and entries of a removed account stay': remove.runAfter(({ collections }, [id]) => {
    for (const { id: collection, createdBy } of collections.values())
      if ((createdBy as string) === id) collections.delete(collection);
  }),
  'a removal rethrows an error from the decision and removes nothing': remove.writeEntryOnFailure(),
  'a removal of a missing account throws before the decision': remove.replaceWith(
    async ([id, decide], original, { serviceAccounts }) => {
      const [any] = serviceAccounts.values();
      if (serviceAccounts.has(id) || !any) await original.remove(id, decide);
      else decide(any.account);
    },
  ),
});
