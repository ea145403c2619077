import type { ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import { type ApprovedProfile, unstoredAdmin } from '../profiles/profile.ts';

/** What a service account may be allowed to do. `…:write` does not imply `…:read`. */
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

/** A credential of a machine: it acts with an administrator's authority, but only where it holds the scope. */
export interface ServiceAccount {
  readonly id: ServiceAccountId;
  /** Unique without regard to case, as `nameKey` compares. */
  readonly name: string;
  /** At least one; unique, in the order of `scopes`. */
  readonly scopes: readonly Scope[];
  /** From then on it is refused; null if it does not expire. */
  readonly expiresAt: Instant | null;
  /** Null if the operator's command line created it. */
  readonly createdBy: ProfileId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What is stored of its secrets, as of those of API keys. */
export type AccountKey = Pick<StoredKey, 'current' | 'previous'>;

/** A new secret in clear: returned once, never stored. */
export interface IssuedAccount {
  readonly account: ServiceAccount;
  readonly token: string;
}

/** In characters (Unicode code points), once trimmed. */
export const accountNameMax = 200;

/** What a list shows at once, and an administrator can oversee. */
export const accountsMax = 1_000;

/** Returns the scopes once each, in the order of the list. */
export const scopesOf = (wanted: readonly Scope[]): readonly Scope[] =>
  scopes.filter((scope) => wanted.includes(scope));

/** Whether it has expired; at `expiresAt` it has. */
export const isExpired = ({ expiresAt }: Pick<ServiceAccount, 'expiresAt'>, now: Instant): boolean =>
  expiresAt !== null && now >= expiresAt;

/**
 * The administrator as whom an account acts: what it does is recorded under the account's id and name, which stand
 * where a profile's id and e-mail do. No such profile is stored, and no issuer vouches for it.
 */
export const actingProfile = ({ id, name, createdAt, updatedAt }: ServiceAccount): ApprovedProfile =>
  unstoredAdmin({
    id: id as string as ProfileId,
    email: `service account ${name}`,
    fullName: name,
    uid: `service-account:${id}`,
    createdAt,
    updatedAt,
  });
