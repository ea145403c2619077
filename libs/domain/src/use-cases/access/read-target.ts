import type { Principal, Target, TargetPart, TargetParts } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Reads an admitted caller again, together with a collection that only the request's body names, in one statement.
 * Everything is judged by what this read says; only the credential is not verified, and the request not counted, a
 * second time. Throws `invalid_token` if the profile is gone by now.
 */
export const readTarget =
  ({ callers }: Pick<Ports, 'callers'>) =>
  async <Part extends TargetPart>(
    { profile, via, deadline }: Principal,
    target: Target<Part>,
  ): Promise<Principal<TargetParts[Part]>> => {
    const row = await callers.byUid(profile.uid, target);
    if (row?.profile.id !== profile.id) throw new PorticoError('invalid_token');
    const { limits, epochs, target: found, granted } = row;
    return { profile: row.profile, limits, epochs, target: found, granted, via, deadline };
  };
