import { authorityOf, type CallerRow, type Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { clientSubjectOf, type EffectiveLimit, effectiveLimitOf, type RateLimitResult } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';

export type RequiredPorts = Pick<Ports, 'callers' | 'clock' | 'random' | 'limits' | 'limiter'>;

export interface ClientLimit extends EffectiveLimit {
  readonly clientId: ClientId;
  /** The client's current usage. Reading it counts nothing; the client's own request was counted on admission. */
  readonly usage: RateLimitResult;
}

/** Returns the limit that applies to a client, and its remaining requests, to an admin or to the client itself. */
export const readEffectiveLimit =
  (ports: RequiredPorts, { defaultLimit }: Settings) =>
  async (principal: Principal, client: ClientId | ProfileId | null): Promise<ClientLimit> => {
    const { profile } = principal;
    const isOwn = client !== null && (client === profile.id || client === profile.clientId);
    if (!isOwn) authorityOf(principal);
    const target = await clientOf(ports, client);
    const limit = effectiveLimitOf(target.limits, defaultLimit);
    const usage = await ports.limiter.peek(clientSubjectOf(target.profile.id), limit.rule);
    return { ...limit, clientId: target.clientId, usage };
  };

/**
 * Returns an approved client. Throws `client_not_found` if it has no API client identifier, or is an admin (whose key
 * is dormant).
 */
export const clientOf = async (
  { callers, clock }: Pick<Ports, 'callers' | 'clock'>,
  client: ClientId | ProfileId | null,
): Promise<Pick<CallerRow, 'profile' | 'limits'> & { readonly clientId: ClientId }> => {
  const row = client === null ? null : await callers.findByEitherId(client, clock.now());
  if (!row || row.profile.role !== 'client' || row.profile.clientId === null)
    throw new PorticoError('client_not_found');
  return { profile: row.profile, limits: row.limits, clientId: row.profile.clientId };
};
