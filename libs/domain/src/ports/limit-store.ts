import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { ClientOverride, LimitedClient, NewOverride, Override, OverridePage, Tier } from '../limits/limit.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';

/** The change to an override that was decided on. */
export interface OverrideChange<Type extends NewOverride> extends Effects {
  readonly override: Type;
  /** The client's other overrides that change with it. */
  readonly otherOverrides?: readonly Override[];
}

/** Rate-limit tiers and overrides. Every `decide` is synchronous and pure, and may run more than once. */
export interface LimitStore {
  /** Returns all tiers, sorted by name (code points). */
  listTiers(): Promise<readonly Tier[]>;
  /** Adds a tier; throws `tier_taken`. */
  addTier(tier: Tier, effects: Effects): Promise<void>;
  /** Updates a tier. Throws `tier_not_found`. The name cannot change. */
  updateTier(name: string, decide: (current: Tier) => Effects & { readonly tier: Tier }): Promise<Tier>;
  /**
   * Removes the tier and, in the same transaction, removes it from every profile and group that has it, as a change to
   * these at `removedAt`, so that none refers to a tier that no longer exists. Throws `tier_not_found`.
   */
  removeTier(name: string, decide: (current: Tier) => Effects & { readonly removedAt: Instant }): Promise<void>;

  /**
   * Returns every profile that is not an admin, with the limits that `CallerLookup` returns for it, sorted by email
   * (code points).
   */
  listClients(): Promise<readonly LimitedClient[]>;

  /** Returns all overrides or only the active ones, sorted by id. */
  listOverrides(activeOnly: boolean): Promise<readonly Override[]>;
  /**
   * Returns the overrides with their clients, all or only the active ones, sorted by id: at most `limit`, after the
   * given position.
   */
  listClientOverrides(page: OverridePage): Promise<readonly ClientOverride[]>;
  /** Returns the number of overrides, all or only the active ones. */
  countOverrides(activeOnly: boolean): Promise<number>;
  /**
   * Adds an override, and stores the others that change with it; returns the override with its id, which is never
   * reused. `decide` gets the client's other overrides, sorted by id. Throws `client_not_found` if the client no longer
   * exists.
   */
  addOverride(
    client: ProfileId,
    decide: (otherOverrides: readonly Override[]) => OverrideChange<NewOverride>,
  ): Promise<Override>;
  /**
   * Changes an override, and the others that change with it. `decide` gets the override's client and the client's other
   * overrides, sorted by id. Throws `override_not_found`.
   */
  updateOverride(
    id: number,
    decide: (current: Override, client: Profile, otherOverrides: readonly Override[]) => OverrideChange<Override>,
  ): Promise<Override>;
  /** Removes an override. Throws `override_not_found`. `decide` gets the override and its client. */
  removeOverride(id: number, decide: (current: Override, client: Profile) => Effects): Promise<void>;
}
