import type { AdminAuthority } from '../../access/principal.ts';
import { nextChangeAt } from '../../instant.ts';
import type { LimitRule, Tier } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import type { RequiredPorts } from './read-effective-limit.ts';

/** Returns all tiers or only the active ones, sorted by name. */
export const listTiers =
  ({ limits }: Pick<Ports, 'limits'>) =>
  async (activeOnly: boolean): Promise<readonly Tier[]> =>
    (await limits.listTiers()).filter((tier) => tier.isActive || !activeOnly);

/** Adds a tier; throws `tier_taken`. */
export const createTier =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, input: Omit<Tier, 'createdAt' | 'updatedAt'>): Promise<Tier> => {
    const now = ports.clock.now();
    const tier: Tier = { ...input, createdAt: now, updatedAt: now };
    const message = { action: 'tier.create' as const, tier: tier.tier, ...ruleFieldsOf(tier) };
    await ports.limits.addTier(tier, createAuditEffects(ports, authority, message));
    return tier;
  };

/** Changes a tier, as of the next request; undefined members are left unchanged. */
export const updateTier =
  (ports: RequiredPorts) =>
  async (
    authority: AdminAuthority,
    name: string,
    change: Changes<Pick<Tier, 'allowed' | 'windowSeconds' | 'description' | 'isActive'>>,
  ): Promise<Tier> => {
    const now = ports.clock.now();
    return ports.limits.updateTier(name, (current) => {
      const tier = { ...mergeChanges(current, change), updatedAt: nextChangeAt(current.updatedAt, now) };
      return {
        tier,
        ...createAuditEffects(ports, authority, { action: 'tier.update', tier: name, ...ruleFieldsOf(tier) }),
      };
    });
  };

/**
 * Removes a tier with its assignments: its clients fall back to the default limit, and a new tier with the same name
 * has no clients.
 */
export const removeTier =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, name: string): Promise<void> => {
    const effects = createAuditEffects(ports, authority, { action: 'tier.delete', tier: name });
    const removedAt = ports.clock.now();
    await ports.limits.removeTier(name, () => ({ removedAt, ...effects }));
  };

export type Changes<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

export const ruleFieldsOf = ({ allowed, windowSeconds, isActive }: LimitRule & { readonly isActive: boolean }) => ({
  allowed_limit: allowed,
  window_seconds: windowSeconds,
  is_active: isActive,
});

export const mergeChanges = <T extends object>(current: T, change: Changes<NoInfer<T>>): T => ({
  ...current,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
