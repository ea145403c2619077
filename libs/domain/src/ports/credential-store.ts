import type { Collection } from '../collections/collection.ts';
import type {
  CredentialSubject,
  NamedSubject,
  StoredCredential,
  SubjectCredential,
  UsableCredential,
} from '../collections/credential.ts';
import type { CollectionId, CredentialId, ProfileId } from '../ids.ts';
import type { Effects } from './effects.ts';

/** The state that a change of a subject's credential is based on. */
export interface SubjectState {
  readonly collection: Collection;
  readonly subject: NamedSubject;
  /** Null if the subject has none for the scheme. */
  readonly credential: StoredCredential | null;
  /** The number of other subjects with a credential for the scheme. */
  readonly otherSubjects: number;
}

/** The credentials of collections for the security schemes of their documents. */
export interface CredentialStore {
  /** Returns the collection's credentials for everyone by scheme, in code point order; none if there is no such collection. */
  list(id: CollectionId): Promise<readonly StoredCredential[]>;

  /**
   * Returns the collection's credentials for groups and profiles by scheme, groups first, and then by name or email, in
   * code point order; none if there is no such collection.
   */
  listSubjects(id: CollectionId): Promise<readonly SubjectCredential[]>;

  /**
   * Returns the credentials of the collection that a profile's calls may use, in any order and from one snapshot: those for everyone, for
   * its groups, of which it is a member by an administrator or by claim, and its own. For null, only those for everyone.
   */
  listUsable(id: CollectionId, profile: ProfileId | null): Promise<readonly UsableCredential[]>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same collection.
   * `decide` is synchronous and pure, and may run more than once. If it returns null, nothing is written; otherwise its
   * credentials replace all stored ones for everyone, and their schemes become the collection's `credentialSchemes`.
   * Returns the collection after the change. Throws `collection_not_found`.
   */
  update(
    id: CollectionId,
    decide: (
      current: Collection,
      credentials: readonly StoredCredential[],
    ) => (Effects & { readonly collection: Collection; readonly credentials: readonly StoredCredential[] }) | null,
  ): Promise<Collection>;

  /**
   * Like `update`, for the credential of one group or profile: the returned credential replaces the stored one, and null
   * removes it. Changes nothing else. Throws `collection_not_found`, and `group_not_found` or `user_not_found` if there is no such subject.
   * The credential is removed with its group, profile or collection.
   */
  updateSubject(
    id: CollectionId,
    scheme: string,
    subject: CredentialSubject,
    decide: (state: SubjectState) => (Effects & { readonly credential: StoredCredential | null }) | null,
  ): Promise<void>;

  /**
   * Like `update`, for the origins of every credential of the collection, including the one of its `authentication`.
   * Neither its revision nor any date changes.
   */
  bind(
    id: CollectionId,
    decide: (current: Collection) => (Effects & { readonly origins: readonly string[] }) | null,
  ): Promise<void>;

  /** Replaces the sealed text of a credential if it is still `before`; returns whether it was. */
  reseal(id: CredentialId, before: string, after: string, effects: Effects): Promise<boolean>;
}
