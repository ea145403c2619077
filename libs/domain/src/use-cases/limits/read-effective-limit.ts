import { type Principal, authorityOf } from '../../access/principal.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { type EffectiveLimit, effectiveLimit } from '../../limits/effective-limit.ts';
import { clientSubject } from '../../limits/limit.ts';
import type { RateLimitResult } from '../../limits/rate-limit-result.ts';
import type { Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { clientOf } from './limited-client.ts';

export type Needs = Pick<Ports, 'callers' | 'clock' | 'random' | 'limits' | 'limiter'>;

export interface ClientLimit extends EffectiveLimit {
  readonly clientId: ClientId;
  /** Reading it counts nothing; the client's own request was counted when it was let in. */
  readonly usage: RateLimitResult;
}

/** The limit that holds for a client and how much of it is left; for an admin, or for the client itself. */
export const readEffectiveLimit =
  (ports: Needs, { defaultLimit }: Settings) =>
  async (principal: Principal, client: ClientId | ProfileId | null): Promise<ClientLimit> => {
    const { profile } = principal;
    const own = client !== null && (client === profile.id || client === profile.clientId);
    if (!own) authorityOf(principal);
    const subject = await clientOf(ports, client);
    const limit = effectiveLimit(subject.limits, defaultLimit);
    const usage = await ports.limiter.peek(clientSubject(subject.profile.id), limit.rule);
    return { ...limit, clientId: subject.clientId, usage };
  };
