import type { ClientId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

export type Role = 'admin' | 'client';

/**
 * A grant takes effect immediately for a `pending` profile, and never for a `rejected` one (specification, section 2).
 */
export type RegistrationStatus = 'pending' | 'approved' | 'rejected';

/** A person or an agent that registered: approved by an admin, pending, or rejected. */
export type Profile = ApprovedProfile | UnapprovedProfile;

interface ProfileFields {
  readonly id: ProfileId;
  /** The email address, in lower case; unique. */
  readonly email: string;
  readonly fullName: string;
  readonly companyName: string | null;
  /** The identity provider's user id (`sub`); unique. */
  readonly uid: string;
  /**
   * The issuer of the first accepted token with this uid; from then on, issuer and uid together identify the profile.
   * Null while the profile is not bound.
   */
  readonly issuer: string | null;
  /** The name of the assigned rate-limit tier, which may be inactive; null after the tier is deleted. */
  readonly tier: string | null;
  /**
   * When the profile was suspended, so that it cannot authenticate, regardless of its status; null if it is not
   * suspended.
   */
  readonly suspendedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ApprovedProfile extends ProfileFields {
  readonly role: Role;
  readonly status: 'approved';
  /**
   * The API client identifier. It is kept while the profile is an admin, although the key is dormant. Null for an admin
   * who never was a client, even after a demotion, until the credentials are rotated.
   */
  readonly clientId: ClientId | null;
  /** When the profile was first approved. */
  readonly approvedAt: Instant;
}

/** A profile that is not approved: never an admin, and without credentials. */
export interface UnapprovedProfile extends ProfileFields {
  readonly role: 'client';
  readonly status: 'pending' | 'rejected';
  readonly clientId: null;
  readonly approvedAt: null;
}

/** Returns an admin that is not stored in any row, for a caller that is not a person. */
export const createUnstoredAdmin = (
  fields: Pick<ApprovedProfile, 'id' | 'email' | 'fullName' | 'uid' | 'createdAt' | 'updatedAt'>,
): ApprovedProfile => ({
  ...fields,
  companyName: null,
  issuer: null,
  tier: null,
  suspendedAt: null,
  role: 'admin',
  status: 'approved',
  clientId: null,
  approvedAt: fields.createdAt,
});

/** The author of an action, as recorded in an audit entry. */
export type Actor = Pick<Profile, 'id' | 'email'>;

export interface PendingProfiles {
  readonly total: number;
  readonly newest: readonly Profile[];
}

// In characters (Unicode code points), after trimming (specification, section 1).
export const emailMax = 254;
export const uidMax = 128;
export const fullNameMax = 200;
export const companyNameMax = 200;
export const rejectionReasonMax = 1_000;
export const suspensionReasonMax = 1_000;
