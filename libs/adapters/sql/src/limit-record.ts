import type { ClientLimits } from '@portico/domain';

/** A profile's limits, as selected by statements that select the profile as `p`. */
export interface LimitColumns {
  readonly overrideId: number | null;
  readonly overrideAllowed: number;
  readonly overrideSeconds: number;
  readonly tierName: string | null;
  readonly tierAllowed: number;
  readonly tierSeconds: number;
  /** The tier of the profile's groups, in the format of `tierAsText`. */
  readonly groupTier: string | null;
}

/** All limits except the tier of the profile's groups, which each statement finds in its own way. */
export const limitColumns = `o.id as "overrideId", o.allowed as "overrideAllowed", o.window_seconds as "overrideSeconds",
  t.tier as "tierName", t.allowed as "tierAllowed", t.window_seconds as "tierSeconds"`;
export const limitTables = `left join overrides o on o.profile_id = p.id and o.is_active = true
    left join tiers t on t.tier = p.tier and t.is_active = true`;

/** A tier `a` in a single column: its name, requests and seconds, separated by spaces. */
export const tierAsText = `a.tier || ' ' || a.allowed || ' ' || a.window_seconds`;
export const mostGenerousTier = 'order by a.allowed * 1.0 / a.window_seconds desc, a.tier limit 1';

export const limitsOf = (row: LimitColumns): ClientLimits => ({
  override:
    row.overrideId === null
      ? null
      : { id: row.overrideId, allowed: row.overrideAllowed, windowSeconds: row.overrideSeconds },
  tier: row.tierName === null ? null : { tier: row.tierName, allowed: row.tierAllowed, windowSeconds: row.tierSeconds },
  groupTier: tierOf(row.groupTier),
});

/** Parses a tier in the format of `tierAsText`. A tier's name never contains a space. */
const tierOf = (text: string | null): ClientLimits['groupTier'] => {
  if (text === null) return null;
  const [tier = '', allowed, windowSeconds] = text.split(' ');
  return { tier, allowed: Number(allowed), windowSeconds: Number(windowSeconds) };
};
