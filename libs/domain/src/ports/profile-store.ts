import type { ProfileId } from '../ids.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';

export interface ProfileState {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  /** All admins, this one included, oldest first, ties by id. */
  readonly admins: readonly Profile[];
}

export interface ProfileChange extends Effects {
  readonly profile: Profile;
  /** What is to be kept from now on: the same where it stays, null where none is. */
  readonly key: StoredKey | null;
}

/** Profiles with their API keys. Every `decide` is synchronous and pure, and may run more than once. */
export interface ProfileStore {
  /**
   * Adds a profile. Throws `email_taken` where the e-mail is taken, else `identity_taken` where the uid is; then
   * nothing is written. Of simultaneous additions of one e-mail or uid exactly one succeeds.
   */
  add(profile: Profile, effects: Effects): Promise<void>;

  /** The profile with that id, or null. */
  find(id: ProfileId): Promise<Profile | null>;

  /** The profile with that e-mail (compared in lower case), or null. */
  findByEmail(email: string): Promise<Profile | null>;

  /** All profiles, oldest first, ties by id. */
  list(): Promise<readonly Profile[]>;

  /** All admins, oldest first, ties by id. */
  admins(): Promise<readonly Profile[]>;

  /** How many profiles wait for a decision, and the newest of them, newest first, at most so many. */
  pending(limit: number): Promise<PendingProfiles>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change of the same profile and of the admins.
   * Throws `user_not_found` where there is none, and `tier_not_found` where it gives the profile a tier that is not there; that,
   * what `decide` throws, and a change to an e-mail or uid that is taken, leaves everything as it was. Returns what was stored.
   */
  update(id: ProfileId, decide: (state: ProfileState) => ProfileChange): Promise<Profile>;

  /**
   * Removes the profile and with it its grants, keys, overrides and unsent mail jobs, in one transaction. Collections
   * that it created and audit entries that it wrote stay. Throws `user_not_found`; what `decide` throws keeps all.
   */
  remove(id: ProfileId, decide: (state: ProfileState) => Effects): Promise<void>;

  /**
   * Makes a first admin in one transaction: `decide` sees the admins that there are and the profile that has this uid
   * or, failing that, this e-mail. It returns the profile to add or to store in its place, or null to change nothing.
   * Of simultaneous calls on an empty store exactly one sees no admin.
   */
  claimAdmin(
    identity: { readonly uid: string; readonly email: string },
    decide: (state: {
      readonly admins: readonly Profile[];
      readonly match: Profile | null;
    }) => (Effects & { readonly profile: Profile }) | null,
  ): Promise<Profile | null>;

  /**
   * Gives each profile of `unknownIssuer` the issuer that is named for it, in one transaction; nothing else of it changes, and
   * no other profile does. Returns how many there were.
   */
  adoptBindings(issuerOf: (profile: Profile) => string): Promise<number>;
}
