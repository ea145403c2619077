import { serviceAccountStoreContract } from '@portico/contracts';
import { toNameKey, type AccountState } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { add, find, list, remove, update } = breachesOf('serviceAccounts');

/** Changes an update's decision. */
const mapUpdate = (alter: (after: AccountState, before: AccountState) => Partial<AccountState>) =>
  update.mapDecision((change, [state]) => ({ ...change, ...alter(change, state) }));

proveStores('the memory service account store', serviceAccountStoreContract, {
  'looking up an account by its id returns it exactly as it was added': find.mapResult(
    (account) => account && { ...account, createdBy: null },
  ),
  'looking up an id without an account returns nothing': find.replaceWith(
    async ([id], original) => (await original.find(id)) ?? (await original.list())[0] ?? null,
  ),
  'the decision about a new account sees the number of stored accounts': add.mapDecisionInput(([accountCount]) => [
    Math.min(accountCount, 1),
  ]),
  'concurrent additions each see the previous one': add.applyStaleDecision(),
  'adding an account stores its key and writes its effects': add.dropEffects(),
  'adding an account whose name is taken, ignoring case, is rejected, and nothing is written':
    add.writeEntryOnFailure(),
  'when the same name is added concurrently, only one call succeeds': add.replaceWith(
    async ([decide], original, { serviceAccounts }) => {
      const { account, key } = decide(serviceAccounts.size);
      const isTaken = [...serviceAccounts.values()].some(
        (state) => toNameKey(state.account.name) === toNameKey(account.name),
      );
      if (isTaken) return original.add(decide);
      await pause();
      serviceAccounts.set(account.id, { account, key });
    },
  ),
  'adding an account rethrows an error from the decision and writes nothing': add.ignoreErrors(),
  'accounts are listed by name, ignoring case': list.mapResult((accounts) =>
    accounts.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ),
  'an update bases its decision on the current state, stores the account and its key, and returns the account':
    mapUpdate(({ account }, before) => ({
      account: { ...account, expiresAt: account.expiresAt ?? before.account.expiresAt },
    })),
  'an update without a key removes the stored key': mapUpdate(({ key }, before) => ({ key: key ?? before.key })),
  'an update writes its effects': update.dropEffects(),
  'an account may be renamed to its own name with different capitalization, but not to the name of a different account':
    update.writeEntryOnFailure(),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'updating a missing account throws before the decision is called': update.replaceWith(
    async ([id, decide], original, { serviceAccounts }) => {
      const [state] = serviceAccounts.values();
      return serviceAccounts.has(id) || !state ? original.update(id, decide) : decide(state).account;
    },
  ),
  'concurrent updates of the same account each see the previous update': update.applyStaleDecision(),
  'a removal bases its decision on the account, removes only this account and writes its effects': remove.dropEffects(),
  'removing an account keeps its collections and its audit entries': remove.runAfter(({ collections }, [id]) => {
    for (const { id: collection, createdBy } of collections.values())
      if ((createdBy as string) === id) collections.delete(collection);
  }),
  'a removal rethrows an error from the decision and removes nothing': remove.writeEntryOnFailure(),
  'removing a missing account throws before the decision is called': remove.replaceWith(
    async ([id, decide], original, { serviceAccounts }) => {
      const [state] = serviceAccounts.values();
      if (serviceAccounts.has(id) || !state) await original.remove(id, decide);
      else decide(state.account);
    },
  ),
});
