import { effectiveLimit, type EffectiveLimit } from './effective-limit.ts';
import { authorityOf, type Access, type Authority } from '../access/access.ts';
import { clientSubject } from '../access/admit.ts';
import { ofProfile, systemEntry } from '../audit/entries.ts';
import { PorticoError } from '../errors.ts';
import type { ClientId, ProfileId } from '../ids.ts';
import { nextChangeAt } from '../instant.ts';
import type { LimitRule, LimitSubject, Override, Ports, Quota, Tier } from '../ports/index.ts';
import type { Settings } from '../settings.ts';

/** The most requests that a rule may allow in its window; the least is 1 (specification, section 7). */
export const allowedMax = 1_000_000_000;
/** 31 days; the shortest window is 1 s (specification, section 7). */
export const windowSecondsMax = 2_678_400;

type Needs = Pick<Ports, 'clock' | 'chance' | 'limits' | 'limiter'>;
type Changes<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** All tiers, or the active ones, by name. */
export const listTiers =
  ({ limits }: Pick<Ports, 'limits'>) =>
  async (activeOnly: boolean): Promise<readonly Tier[]> =>
    (await limits.tiers()).filter((tier) => tier.isActive || !activeOnly);

/** Adds a tier; raises `tier_taken`. */
export const createTier =
  (ports: Needs) =>
  async ({ actor, deadline }: Authority, input: Omit<Tier, 'createdAt' | 'updatedAt'>): Promise<Tier> => {
    const now = ports.clock.now();
    const tier: Tier = { ...input, createdAt: now, updatedAt: now };
    const entry = systemEntry(ports, actor, { action: 'tier.create', tier: tier.tier, ...ruleFields(tier) });
    await ports.limits.addTier(tier, { entries: [entry], jobs: [], deadline });
    return tier;
  };

/** What is undefined stays. The change holds from the next request on. */
export const updateTier =
  (ports: Needs) =>
  async (
    { actor, deadline }: Authority,
    name: string,
    change: Changes<Pick<Tier, 'allowed' | 'windowSeconds' | 'description' | 'isActive'>>,
  ): Promise<Tier> => {
    const now = ports.clock.now();
    return ports.limits.updateTier(name, (current) => {
      const tier = { ...merged(current, change), updatedAt: nextChangeAt(current.updatedAt, now) };
      return {
        tier,
        entries: [systemEntry(ports, actor, { action: 'tier.update', tier: name, ...ruleFields(tier) })],
        jobs: [],
        deadline,
      };
    });
  };

/** Removes a tier with its assignments: its clients fall back to the default limit, and one made later begins without any. */
export const removeTier =
  (ports: Needs) =>
  async ({ actor, deadline }: Authority, name: string): Promise<void> => {
    const entry = systemEntry(ports, actor, { action: 'tier.delete', tier: name });
    const removedAt = ports.clock.now();
    await ports.limits.removeTier(name, () => ({ removedAt, entries: [entry], jobs: [], deadline }));
  };

/** All overrides, or the active ones, by id. */
export const listOverrides =
  ({ limits }: Pick<Ports, 'limits'>) =>
  (_authority: Authority, activeOnly: boolean): Promise<readonly Override[]> =>
    limits.overrides(activeOnly);

/** Adds an override for a client, by its API client identifier or its profile's id; an active one replaces the active one. */
export const createOverride =
  (ports: Needs) =>
  async (
    { actor, deadline }: Authority,
    client: ClientId | ProfileId | null,
    rule: LimitRule & { readonly isActive: boolean },
  ): Promise<Override> => {
    const { profile, clientId } = await clientOf(ports, client);
    const now = ports.clock.now();
    const entry = systemEntry(ports, actor, {
      action: 'override.create',
      client_id: clientId,
      ...ofProfile(profile),
      ...ruleFields(rule),
    });
    return ports.limits.addOverride(
      profile.id,
      { ...rule, clientId, createdAt: now, updatedAt: now },
      { entries: [entry], jobs: [], deadline },
    );
  };

/** What is undefined stays. */
export const updateOverride =
  (ports: Needs) =>
  async (
    { actor, deadline }: Authority,
    id: number,
    change: Changes<Pick<Override, 'allowed' | 'windowSeconds' | 'isActive'>>,
  ): Promise<Override> => {
    const now = ports.clock.now();
    return ports.limits.updateOverride(id, (current, client) => {
      const override = { ...merged(current, change), updatedAt: nextChangeAt(current.updatedAt, now) };
      const message = {
        action: 'override.update',
        override_id: id,
        client_id: current.clientId,
        ...ofProfile(client),
        ...ruleFields(override),
      };
      return { override, entries: [systemEntry(ports, actor, message)], jobs: [], deadline };
    });
  };

/** Raises `override_not_found`. Without an active one the client's tier holds, or the default limit. */
export const removeOverride =
  (ports: Needs) =>
  async ({ actor, deadline }: Authority, id: number): Promise<void> => {
    await ports.limits.removeOverride(id, ({ clientId }, client) => {
      const message = { action: 'override.delete', override_id: id, client_id: clientId, ...ofProfile(client) };
      return { entries: [systemEntry(ports, actor, message)], jobs: [], deadline };
    });
  };

export interface ClientLimit extends EffectiveLimit {
  readonly clientId: ClientId;
  /** Reading it counts nothing; the client's own request was counted when it was let in. */
  readonly quota: Quota;
}

/** The limit that holds for a client and how much of it is left; for an admin, or for the client itself. */
export const readEffectiveLimit =
  (ports: Needs, { defaultLimit }: Settings) =>
  async (access: Access, client: ClientId | ProfileId | null): Promise<ClientLimit> => {
    const { profile } = access;
    const own = client !== null && (client === profile.id || client === profile.clientId);
    if (!own) authorityOf(access);
    const subject = await clientOf(ports, client);
    const limit = effectiveLimit(subject.limits, defaultLimit);
    const quota = await ports.limiter.peek(clientSubject(subject.profile.id), limit.rule);
    return { ...limit, clientId: subject.clientId, quota };
  };

/** An approved client; one without an API client identifier, and an admin, whose key is asleep, are none. */
const clientOf = async (
  { limits }: Pick<Ports, 'limits'>,
  client: ClientId | ProfileId | null,
): Promise<LimitSubject & { readonly clientId: ClientId }> => {
  const subject = client === null ? null : await limits.subject(client);
  if (!subject || subject.profile.role !== 'client' || subject.profile.clientId === null)
    throw new PorticoError('client_not_found');
  return { ...subject, clientId: subject.profile.clientId };
};

const ruleFields = ({ allowed, windowSeconds, isActive }: LimitRule & { readonly isActive: boolean }) => ({
  allowed_limit: allowed,
  window_seconds: windowSeconds,
  is_active: isActive,
});

const merged = <T extends object>(current: T, change: Changes<NoInfer<T>>): T => ({
  ...current,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
