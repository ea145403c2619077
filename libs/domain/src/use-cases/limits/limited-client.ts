import type { CallerRow } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** An approved client; one without an API client identifier, and an admin, whose key is asleep, are none. */
export const clientOf = async (
  { callers }: Pick<Ports, 'callers'>,
  client: ClientId | ProfileId | null,
): Promise<Pick<CallerRow, 'profile' | 'limits'> & { readonly clientId: ClientId }> => {
  const row = client === null ? null : await callers.byEitherId(client);
  if (!row || row.profile.role !== 'client' || row.profile.clientId === null)
    throw new PorticoError('client_not_found');
  return { profile: row.profile, limits: row.limits, clientId: row.profile.clientId };
};
