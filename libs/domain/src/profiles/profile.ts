import type { ClientId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Who did it, in the words of an entry. */
export type Actor = Pick<Profile, 'id' | 'email'>;

export type Role = 'admin' | 'client';

/** A grant counts for a `pending` profile at once, for a `rejected` one never (specification, section 2). */
export type RegistrationStatus = 'pending' | 'approved' | 'rejected';

export interface Profile {
  readonly id: ProfileId;
  /** In lower case; unique. */
  readonly email: string;
  readonly fullName: string;
  readonly companyName: string | null;
  readonly role: Role;
  readonly status: RegistrationStatus;
  /** The identity provider's user id (`sub`); unique. */
  readonly uid: string;
  /**
   * The issuer whose token was the first that was accepted with this uid; from then on issuer and uid together count. Null
   * while the profile is not bound, `unknownIssuer` until a binding of before issuers were kept is adopted.
   */
  readonly issuer: string | null;
  /** The API client identifier, kept while the profile is an admin although it is asleep then; null without a key. */
  readonly clientId: ClientId | null;
  /** The name of the rate-limit tier that is assigned, which may be inactive; it goes with the tier. */
  readonly tier: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Of the first approval; null before it. */
  readonly approvedAt: Instant | null;
}

/** No token is of it. */
export const unknownIssuer = '';

export interface PendingProfiles {
  readonly total: number;
  readonly newest: readonly Profile[];
}
