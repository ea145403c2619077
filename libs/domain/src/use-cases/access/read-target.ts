import {
  type Principal,
  type Target,
  type TargetPart,
  type TargetParts,
  withoutSecrets,
} from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Reads an admitted caller again, together with a collection that only the request's body names, in one statement.
 * Everything is judged by what this read says; only the credential is not verified, and the request not counted, a
 * second time. Throws `invalid_token` if the profile is gone or suspended by now.
 */
export const readTarget =
  ({ callers, clock }: Pick<Ports, 'callers' | 'clock'>) =>
  async <Part extends TargetPart>(
    { profile, via, deadline }: Principal,
    target: Target<Part>,
  ): Promise<Principal<TargetParts[Part]>> => {
    const row = await callers.byUid(profile.uid, target, clock.now());
    if (row?.profile.id !== profile.id || isSuspended(row.profile)) throw new PorticoError('invalid_token');
    return { ...withoutSecrets(row), via, deadline };
  };
