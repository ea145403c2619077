import type { ClientId, ProfileId } from '../ids.ts';
import { type Instant, nextChangeAt } from '../instant.ts';

/** Returns the limiter's subject for a profile, which all of its credentials share. */
export const clientSubjectOf = (profileId: string): string => `client:${profileId}`;

/** Returns the limiter's subject for the calls of a profile, which have a limit of their own. */
export const callSubjectOf = (profileId: string): string => `call:${profileId}`;

/** The maximum number of requests that a rule may allow in its window; the minimum is 1 (specification, section 7). */
export const allowedMax = 1_000_000_000;

/** The longest window, 31 days; the shortest is 1 s (specification, section 7). */
export const windowSecondsMax = 2_678_400;

/** The form of a tier's name, 1 to 63 characters (specification, section 7). */
export const tierNamePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
export const tierNameMax = 63;

/** The maximum length of a tier's description, in characters (Unicode code points), after trimming. */
export const tierDescriptionMax = 1_000;

/** At most `allowed` requests in any window of `windowSeconds`. */
export interface LimitRule {
  readonly allowed: number;
  readonly windowSeconds: number;
}

export interface Tier extends LimitRule {
  /** The name; matches `tierNamePattern`. */
  readonly tier: string;
  readonly description: string | null;
  /** An inactive tier has no effect: its clients have the default limit. */
  readonly isActive: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface Override extends LimitRule {
  readonly id: number;
  readonly clientId: ClientId;
  /** At most one override per client is active. */
  readonly isActive: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewOverride = Omit<Override, 'id'>;

/** An override with its client. */
export interface ClientOverride {
  readonly override: Override;
  readonly client: { readonly id: ProfileId; readonly email: string; readonly fullName: string };
}

export interface OverridePage {
  readonly activeOnly: boolean;
  /** Null for all. */
  readonly limit: number | null;
  /** The id of the last override of the previous page; null for the first page. */
  readonly after: number | null;
}

/** Returns deactivated copies of the client's other active overrides if this one is active: at most one is. */
export const deactivateOthers = (
  { isActive, updatedAt }: Pick<Override, 'isActive' | 'updatedAt'>,
  overrides: readonly Override[],
): readonly Override[] =>
  isActive
    ? overrides
        .filter((override) => override.isActive)
        .map((override) => ({ ...override, isActive: false, updatedAt: nextChangeAt(override.updatedAt, updatedAt) }))
    : [];

/** The limits that apply to a profile: its active override, its active tier, and its groups' tier. */
export interface ClientLimits {
  readonly override: (LimitRule & { readonly id: number }) | null;
  readonly tier: (LimitRule & { readonly tier: string }) | null;
  /**
   * The most generous active tier of the profile's groups: the one that allows the most requests per second, then by
   * name.
   */
  readonly groupTier: (LimitRule & { readonly tier: string }) | null;
}

/** A profile with counted requests, and its limits. */
export interface LimitedClient {
  readonly id: ProfileId;
  readonly email: string;
  readonly fullName: string;
  /** Null if it has no API credentials. */
  readonly clientId: ClientId | null;
  readonly limits: ClientLimits;
}

export type LimitSource = 'override' | 'tier' | 'default';

export interface EffectiveLimit {
  readonly rule: LimitRule;
  readonly source: LimitSource;
  /** The active tier, even if an override takes precedence; null if there is none. */
  readonly tier: string | null;
  /** Null if no override is active. */
  readonly overrideId: number | null;
}

/**
 * Returns the limit for a profile: its active override, else its active tier, else its groups' tier, else the default
 * (specification, section 7; extensions, section 4).
 */
export const effectiveLimitOf = (
  { override, tier: ownTier, groupTier }: ClientLimits,
  fallback: LimitRule,
): EffectiveLimit => {
  const tier = ownTier ?? groupTier;
  const sources = { tier: tier?.tier ?? null, overrideId: override?.id ?? null };
  if (override) return { rule: ruleOf(override), source: 'override', ...sources };
  if (tier) return { rule: ruleOf(tier), source: 'tier', ...sources };
  return { rule: fallback, source: 'default', ...sources };
};

const ruleOf = ({ allowed, windowSeconds }: LimitRule): LimitRule => ({ allowed, windowSeconds });

/** A limiter's result for one subject at one time; after a `consume`, it includes that request. */
export interface RateLimitResult {
  readonly rule: LimitRule;
  readonly isAdmitted: boolean;
  /** Requests that would still be admitted now. */
  readonly remaining: number;
  /** Whole seconds until the oldest counted request leaves the window; 0 if none is counted. */
  readonly resetSeconds: number;
  /**
   * Whole seconds, at least 1, until a request would be admitted if no other request comes first; 0 if one would be
   * admitted now.
   */
  readonly retryAfterSeconds: number;
}

/** Which requests a limiter has counted: requests to all processes, or only to the responding process. */
export type LimiterScope = 'all' | 'process';

/** A counted request, with the name of the policy that was applied. */
export interface CountedRequest extends RateLimitResult {
  readonly policy: LimitSource | 'anonymous' | 'failed-credentials' | 'calls';
}
