import { PorticoError } from '../../errors.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { LimitSubject } from '../../ports/limit-store.ts';

/** An approved client; one without an API client identifier, and an admin, whose key is asleep, are none. */
export const clientOf = async (
  { limits }: Pick<Ports, 'limits'>,
  client: ClientId | ProfileId | null,
): Promise<LimitSubject & { readonly clientId: ClientId }> => {
  const subject = client === null ? null : await limits.subject(client);
  if (!subject || subject.profile.role !== 'client' || subject.profile.clientId === null)
    throw new PorticoError('client_not_found');
  return { ...subject, clientId: subject.profile.clientId };
};
