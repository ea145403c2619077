import type { ClientId } from '../ids.ts';
import { type Instant, nextChangeAt } from '../instant.ts';

/** The limiter's subject for a profile: one, whichever credential it uses. */
export const clientSubject = (profileId: string): string => `client:${profileId}`;

/** The most requests that a rule may allow in its window; the least is 1 (specification, section 7). */
export const allowedMax = 1_000_000_000;

/** 31 days; the shortest window is 1 s (specification, section 7). */
export const windowSecondsMax = 2_678_400;

/** 1 to 63 characters (specification, section 7). */
export const tierNameForm = /^[a-z0-9][a-z0-9_-]{0,62}$/;
export const tierNameMax = 63;

/** In characters (Unicode code points), once trimmed. */
export const tierDescriptionMax = 1_000;

/** At most `allowed` requests in any window of `windowSeconds`. */
export interface LimitRule {
  readonly allowed: number;
  readonly windowSeconds: number;
}

export interface Tier extends LimitRule {
  /** Its name, of `tierNameForm`. */
  readonly tier: string;
  readonly description: string | null;
  /** An inactive one limits nobody: its clients have the default limit. */
  readonly isActive: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface Override extends LimitRule {
  readonly id: number;
  readonly clientId: ClientId;
  /** Of one client's at most one is. */
  readonly isActive: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewOverride = Omit<Override, 'id'>;

/** Of one client's overrides at most one is active: what becomes of its others where this one is. */
export const replacedBy = (
  { isActive, updatedAt }: Pick<Override, 'isActive' | 'updatedAt'>,
  others: readonly Override[],
): readonly Override[] =>
  isActive
    ? others
        .filter((other) => other.isActive)
        .map((other) => ({ ...other, isActive: false, updatedAt: nextChangeAt(other.updatedAt, updatedAt) }))
    : [];

/** What limits a profile: its active override and its active tier. */
export interface ClientLimits {
  readonly override: (LimitRule & { readonly id: number }) | null;
  readonly tier: (LimitRule & { readonly tier: string }) | null;
}
