import type { AdminAuthority, Initiator, Principal } from '../../access/principal.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import { type Credentials, makeSecret, secretBytes, type StoredSecret } from '../../profiles/api-key.ts';
import type { ApprovedProfile, Profile } from '../../profiles/profile.ts';
import { ofProfile, recorded } from '../audit/system-entry.ts';
import { rotationMailJob } from '../mails/mail-jobs.ts';
import type { Ports } from '../../ports/index.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'profiles' | 'keys' | 'cipher' | 'mailer'>;

/**
 * Replaces the secret of an approved client and mails the new one if mail is enabled; the previous one stays valid for
 * `graceSeconds`. A client without a key (a former admin) gets its first one.
 */
export const rotateCredentials =
  (ports: Needs) =>
  (authority: AdminAuthority, id: ProfileId, graceSeconds: number): Promise<Credentials> =>
    rotate(ports, authority, id, graceSeconds, ports.mailer.enabled);

/** The same, by the client for itself; it needs no mail about it. */
export const rotateOwnCredentials =
  (ports: Needs) =>
  ({ profile, deadline }: Principal, graceSeconds: number): Promise<Credentials> =>
    rotate(ports, { actor: profile, deadline }, profile.id, graceSeconds, false);

const rotate = async (
  ports: Needs,
  initiator: Initiator,
  id: ProfileId,
  graceSeconds: number,
  isMailed: boolean,
): Promise<Credentials> => {
  const profile = await ports.profiles.find(id);
  if (!profile) throw new PorticoError('user_not_found');
  refuseKeyless(profile);
  const freshId = ports.random.uuid() as ClientId;
  const { secret, stored } = await newSecret(ports, initiator.deadline);
  const now = ports.clock.now();
  const after = await ports.profiles.update(id, ({ profile, key }) => {
    refuseKeyless(profile);
    const clientId = profile.clientId ?? freshId;
    const previousUntil = key && graceSeconds > 0 ? now + graceSeconds * 1_000 : null;
    const message = { action: 'credentials.rotate', ...ofProfile(profile), grace_seconds: graceSeconds };
    return {
      profile: { ...profile, clientId, updatedAt: nextChangeAt(profile.updatedAt, now) },
      key: {
        current: stored,
        previous: key && previousUntil !== null ? { ...key.current, until: previousUntil } : null,
      },
      ...recorded(ports, initiator, message),
      jobs: isMailed ? [rotationMailJob(ports, id, { clientId, secret, previousUntil })] : [],
    };
  });
  return { clientId: after.clientId ?? freshId, secret };
};

function refuseKeyless(profile: Profile): asserts profile is ApprovedProfile {
  if (profile.role === 'admin') throw new PorticoError('has_no_key');
  if (profile.status !== 'approved') throw new PorticoError('not_approved');
}

/** A new secret, with what may be kept of it. */
export const newSecret = async (
  { random, keys }: Pick<Ports, 'random' | 'keys'>,
  deadline: Deadline | null,
): Promise<{ readonly secret: string; readonly stored: StoredSecret }> => {
  const secret = makeSecret(random.bytes(secretBytes));
  return { secret, stored: { hash: await keys.hash(secret, deadline), tag: keys.tag(secret) } };
};
