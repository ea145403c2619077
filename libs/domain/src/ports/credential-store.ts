import type { Collection, StoredCredential } from '../collections/collection.ts';
import type { CollectionId } from '../ids.ts';
import type { Effects } from './effects.ts';

/** The credentials of collections for the security schemes of their documents. */
export interface CredentialStore {
  /** Returns the collection's credentials by scheme, in code point order; none if there is no such collection. */
  list(id: CollectionId): Promise<readonly StoredCredential[]>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same collection.
   * `decide` is synchronous and pure, and may run more than once. If it returns null, nothing is written; otherwise its
   * credentials replace all stored ones, and their schemes become the collection's `credentialSchemes`. Returns the
   * collection after the change. Throws `collection_not_found`.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
      credentials: readonly StoredCredential[],
    ) => (Effects & { readonly collection: Collection; readonly credentials: readonly StoredCredential[] }) | null,
  ): Promise<Collection>;
}
