import type { ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import { type ApprovedProfile, createUnstoredAdmin } from '../profiles/profile.ts';

/** The permissions that a service account may have. `…:write` does not imply `…:read`. */
export const scopes = [
  'catalog:read',
  'catalog:write',
  'access:read',
  'access:write',
  'audit:read',
  'usage:read',
  'limits:write',
] as const;

export type Scope = (typeof scopes)[number];

/** A machine's credential: it acts with an administrator's authority, but only where it has the scope. */
export interface ServiceAccount {
  readonly id: ServiceAccountId;
  /** Unique, ignoring case as `toNameKey` does. */
  readonly name: string;
  /** At least one scope, without duplicates, in the order of `scopes`. */
  readonly scopes: readonly Scope[];
  /** When the account expires: from then on, it is rejected; null if it does not expire. */
  readonly expiresAt: Instant | null;
  /** The admin who created the account; null if it was created on the operator's command line. */
  readonly createdBy: ProfileId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The stored parts of an account's secrets, as for API keys. */
export type AccountKey = Pick<StoredKey, 'current' | 'previous'>;

/** A new secret in plain text: returned once, never stored. */
export interface IssuedAccount {
  readonly account: ServiceAccount;
  readonly token: string;
}

/** The maximum length of a name, in characters (Unicode code points), after trimming. */
export const accountNameMax = 200;

/** The maximum number of accounts: as many as one list can show, and an administrator can oversee. */
export const accountsMax = 1_000;

/** Returns the scopes without duplicates, in the order of `scopes`. */
export const scopesOf = (requested: readonly Scope[]): readonly Scope[] =>
  scopes.filter((scope) => requested.includes(scope));

/** Whether the account has expired; it expires exactly at `expiresAt`. */
export const isExpired = ({ expiresAt }: Pick<ServiceAccount, 'expiresAt'>, now: Instant): boolean =>
  expiresAt !== null && now >= expiresAt;

/**
 * Returns the administrator that an account acts as: its actions are recorded under the account's id and name, which
 * replace a profile's id and email. No such profile is stored, and no issuer vouches for it.
 */
export const toActingProfile = ({ id, name, createdAt, updatedAt }: ServiceAccount): ApprovedProfile =>
  createUnstoredAdmin({
    id: id as string as ProfileId,
    email: `service account ${name}`,
    fullName: name,
    uid: `service-account:${id}`,
    createdAt,
    updatedAt,
  });
