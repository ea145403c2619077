import type { AdminAuthority } from '../../access/principal.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import {
  type ClientOverride,
  type LimitRule,
  type Override,
  type OverridePage,
  deactivateOthers,
} from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import { profileFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { clientOf, type RequiredPorts } from './read-effective-limit.ts';
import { type Changes, mergeChanges, ruleFieldsOf } from './tiers.ts';

/** Returns all overrides or only the active ones, sorted by id. */
export const listOverrides =
  ({ limits }: Pick<Ports, 'limits'>) =>
  (_authority: AdminAuthority, activeOnly: boolean): Promise<readonly Override[]> =>
    limits.listOverrides(activeOnly);

/** Returns all overrides or one page of them, with their clients, sorted by id. */
export const listClientOverrides =
  ({ limits }: Pick<Ports, 'limits'>) =>
  (_authority: AdminAuthority, page: OverridePage): Promise<readonly ClientOverride[]> =>
    limits.listClientOverrides(page);

/** Returns the number of overrides across all pages. */
export const countOverrides =
  ({ limits }: Pick<Ports, 'limits'>) =>
  (_authority: AdminAuthority, activeOnly: boolean): Promise<number> =>
    limits.countOverrides(activeOnly);

/**
 * Adds an override for a client, by API client identifier or profile id; an active override replaces the client's
 * current active one.
 */
export const createOverride =
  (ports: RequiredPorts) =>
  async (
    authority: AdminAuthority,
    client: ClientId | ProfileId | null,
    rule: LimitRule & { readonly isActive: boolean },
  ): Promise<Override> => {
    const { profile, clientId } = await clientOf(ports, client);
    const now = ports.clock.now();
    const message = {
      action: 'override.create' as const,
      client_id: clientId,
      ...profileFieldsOf(profile),
      ...ruleFieldsOf(rule),
    };
    const effects = createAuditEffects(ports, authority, message);
    const override = { ...rule, clientId, createdAt: now, updatedAt: now };
    return ports.limits.addOverride(profile.id, (otherOverrides) => ({
      override,
      otherOverrides: deactivateOthers(override, otherOverrides),
      ...effects,
    }));
  };

/** Changes an override; undefined members are left unchanged. */
export const updateOverride =
  (ports: RequiredPorts) =>
  async (
    authority: AdminAuthority,
    id: number,
    change: Changes<Pick<Override, 'allowed' | 'windowSeconds' | 'isActive'>>,
  ): Promise<Override> => {
    const now = ports.clock.now();
    return ports.limits.updateOverride(id, (current, client, otherOverrides) => {
      const override = { ...mergeChanges(current, change), updatedAt: nextChangeAt(current.updatedAt, now) };
      const message = {
        action: 'override.update' as const,
        override_id: id,
        client_id: current.clientId,
        ...profileFieldsOf(client),
        ...ruleFieldsOf(override),
      };
      return {
        override,
        otherOverrides: deactivateOthers(override, otherOverrides),
        ...createAuditEffects(ports, authority, message),
      };
    });
  };

/**
 * Removes an override; throws `override_not_found`. Without an active override, the client's tier or the default limit
 * applies.
 */
export const removeOverride =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, id: number): Promise<void> => {
    await ports.limits.removeOverride(id, ({ clientId }, client) => {
      const message = {
        action: 'override.delete' as const,
        override_id: id,
        client_id: clientId,
        ...profileFieldsOf(client),
      };
      return createAuditEffects(ports, authority, message);
    });
  };
