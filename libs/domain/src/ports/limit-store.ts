import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { ClientOverride, LimitedClient, NewOverride, Override, OverridePage, Tier } from '../limits/limit.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';

/** A decided change of an override. */
export interface OverrideChange<Changed extends NewOverride> extends Effects {
  readonly override: Changed;
  /** The client's other overrides that change with it. */
  readonly others?: readonly Override[];
}

/** Rate-limit tiers and overrides. Every `decide` is synchronous and pure, and may run more than once. */
export interface LimitStore {
  /** All tiers, by name in code-point order. */
  tiers(): Promise<readonly Tier[]>;
  /** Adds a tier; throws `tier_taken`. */
  addTier(tier: Tier, effects: Effects): Promise<void>;
  /** Throws `tier_not_found`. The name cannot change. */
  updateTier(name: string, decide: (current: Tier) => Effects & { readonly tier: Tier }): Promise<Tier>;
  /**
   * Removes the tier and, in the same transaction, takes it from every profile and group that has it, as a change of
   * them at `removedAt`: none names a tier that is gone. Throws `tier_not_found`.
   */
  removeTier(name: string, decide: (current: Tier) => Effects & { readonly removedAt: Instant }): Promise<void>;

  /** Every profile that is no admin, with what limits it as `CallerLookup` says, by e-mail in code-point order. */
  clients(): Promise<readonly LimitedClient[]>;

  /** All overrides or only the active ones, by id. */
  overrides(activeOnly: boolean): Promise<readonly Override[]>;
  /** The overrides with their clients, all or only the active ones, by id: those after a place, at most the limit. */
  clientOverrides(page: OverridePage): Promise<readonly ClientOverride[]>;
  /** How many overrides there are, in all or active. */
  countOverrides(activeOnly: boolean): Promise<number>;
  /**
   * Adds an override and stores the others that change with it; returns it with its id, which is never reused. `decide`
   * gets the client's other overrides, by id. Throws `client_not_found` if the client is gone.
   */
  addOverride(
    client: ProfileId,
    decide: (others: readonly Override[]) => OverrideChange<NewOverride>,
  ): Promise<Override>;
  /**
   * Changes an override, and the others that change with it. `decide` gets its client and the client's other overrides,
   * by id. Throws `override_not_found`.
   */
  updateOverride(
    id: number,
    decide: (current: Override, client: Profile, others: readonly Override[]) => OverrideChange<Override>,
  ): Promise<Override>;
  /** Throws `override_not_found`. `decide` gets its client. */
  removeOverride(id: number, decide: (current: Override, client: Profile) => Effects): Promise<void>;
}
