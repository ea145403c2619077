import type { ClientLimits, LimitRule } from './limit.ts';

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
 * The limit that applies to a profile: its active override, else its active tier, else the default (specification,
 * section 7).
 */
export const effectiveLimit = ({ override, tier }: ClientLimits, fallback: LimitRule): EffectiveLimit => {
  const named = { tier: tier?.tier ?? null, overrideId: override?.id ?? null };
  if (override) return { rule: ruleOf(override), source: 'override', ...named };
  if (tier) return { rule: ruleOf(tier), source: 'tier', ...named };
  return { rule: fallback, source: 'default', ...named };
};

const ruleOf = ({ allowed, windowSeconds }: LimitRule): LimitRule => ({ allowed, windowSeconds });
