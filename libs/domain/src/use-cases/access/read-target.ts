import {
  type Principal,
  type Target,
  type TargetDetail,
  type TargetDetails,
  omitSecrets,
} from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Reads an admitted caller again in one statement, together with a collection that is known only from the request's
 * body. All further checks use the result; but the credential is not verified again, and the request is not counted
 * again. Throws `invalid_token` if the profile no longer exists or is suspended.
 */
export const readTarget =
  ({ callers, clock }: Pick<Ports, 'callers' | 'clock'>) =>
  async <Detail extends TargetDetail>(
    { profile, via, deadline }: Principal,
    target: Target<Detail>,
  ): Promise<Principal<TargetDetails[Detail]>> => {
    const row = await callers.findByUid(profile.uid, target, clock.now());
    if (row?.profile.id !== profile.id || isSuspended(row.profile)) throw new PorticoError('invalid_token');
    return { ...omitSecrets(row), via, deadline };
  };
