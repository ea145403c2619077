import type { ServiceAccountId } from '../ids.ts';
import type { AccountKey, ServiceAccount } from '../service-accounts/service-account.ts';
import type { Effects } from './effects.ts';

export interface AccountState {
  readonly account: ServiceAccount;
  /** The account's key; null after a reset of the secrets key has removed it. */
  readonly key: AccountKey | null;
}

/** Service accounts with their keys. Every `decide` is synchronous and pure, and may run more than once. */
export interface ServiceAccountStore {
  /**
   * Adds the account that `decide` returns, given the number of stored accounts, in one transaction, serialised against
   * every other addition. Throws `service_account_taken` if the name is taken, ignoring case. If it throws that, or
   * `decide` throws, nothing changes.
   */
  add(
    decide: (count: number) => Effects & { readonly account: ServiceAccount; readonly key: AccountKey },
  ): Promise<void>;

  /** Returns the account with that id, or null. */
  find(id: ServiceAccountId): Promise<ServiceAccount | null>;

  /** Returns all accounts, sorted by name, ignoring case. */
  list(): Promise<readonly ServiceAccount[]>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same account. Throws
   * `service_account_not_found`, and `service_account_taken` for the name of another account. If it throws one of
   * these, or `decide` throws, nothing changes. Returns the stored account.
   */
  update(id: ServiceAccountId, decide: (state: AccountState) => Effects & AccountState): Promise<ServiceAccount>;

  /**
   * Removes the account with its key, in one transaction. The collections that it created and the audit entries that it
   * wrote are kept. Throws `service_account_not_found`; if `decide` throws, nothing changes.
   */
  remove(id: ServiceAccountId, decide: (account: ServiceAccount) => Effects): Promise<void>;
}
