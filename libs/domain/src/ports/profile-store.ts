import type { ProfileId } from '../ids.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import type { ProfileFilter, ProfilePage } from '../profiles/profile-filter.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';

export interface ProfileState {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  /** All admins, including this one, oldest first, then by id. */
  readonly admins: readonly Profile[];
}

export interface ProfileChange extends Effects {
  readonly profile: Profile;
  /** The key to store: the current key to leave it unchanged, or null for none. */
  readonly key: StoredKey | null;
}

/** Profiles with their API keys. Every `decide` is synchronous and pure, and may run more than once. */
export interface ProfileStore {
  /**
   * Adds a profile. Throws `email_taken` if another profile has an email with the same `toEmailKey`, else
   * `identity_taken` if the uid is taken; in both cases, nothing is written. Exactly one of several concurrent
   * additions of the same email or uid succeeds.
   */
  add(profile: Profile, effects: Effects): Promise<void>;

  /** Returns the profile with that id, or null. */
  find(id: ProfileId): Promise<Profile | null>;

  /**
   * Returns the profile with exactly that email, else the one whose email has the same `toEmailKey`, or null. If there
   * are several, because an earlier version distinguished them, returns the one that was given the key, else the
   * oldest.
   */
  findByEmail(email: string): Promise<Profile | null>;

  /** Returns all profiles, oldest first, then by id. */
  list(): Promise<readonly Profile[]>;

  /**
   * Returns the profiles that match the filter, in the page's order: at most its limit, after its position. Text is
   * compared ignoring case, in any script.
   */
  select(filter: ProfileFilter, page: ProfilePage): Promise<readonly Profile[]>;

  /** Returns the number of profiles that match the filter. */
  count(filter: ProfileFilter): Promise<number>;

  /** Returns all admins, oldest first, then by id. */
  listAdmins(): Promise<readonly Profile[]>;

  /** Returns the number of profiles that are waiting for a decision, and the newest `limit` of them, newest first. */
  readPending(limit: number): Promise<PendingProfiles>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same profile and to the
   * admins. Throws `user_not_found`, and `tier_not_found` for a new tier that does not exist. If it throws one of
   * these, if `decide` throws, or if the email or uid is taken, nothing changes. Returns the stored profile.
   */
  update(id: ProfileId, decide: (state: ProfileState) => ProfileChange): Promise<Profile>;

  /**
   * Removes the profile with its grants, memberships, requests, keys, overrides, unsent mail jobs and the claims of its
   * tokens, in one transaction. The collections that it created and the audit entries that it wrote are kept. If other
   * profiles have the same mailbox, the oldest of them is given the key. Throws `user_not_found`; if `decide` throws,
   * nothing changes.
   */
  remove(id: ProfileId, decide: (state: ProfileState) => Effects): Promise<void>;

  /**
   * Creates the first admin in one transaction: `decide` gets the existing admins and the profile with this uid or,
   * failing that, with this email, as `findByEmail` finds it. It returns the profile to add or to store in place of
   * the match, or null to change nothing. Exactly one of several concurrent calls on an empty store sees no admin.
   */
  claimAdmin(
    identity: { readonly uid: string; readonly email: string },
    decide: (state: {
      readonly admins: readonly Profile[];
      readonly match: Profile | null;
    }) => (Effects & { readonly profile: Profile }) | null,
  ): Promise<Profile | null>;
}
