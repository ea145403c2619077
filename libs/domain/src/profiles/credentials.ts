import { makeSecret, secretBytes } from '../access/api-secret.ts';
import type { Access, Authority } from '../access/access.ts';
import { ofProfile, systemEntry } from '../audit/entries.ts';
import { PorticoError } from '../errors.ts';
import type { ClientId, ProfileId } from '../ids.ts';
import { nextChangeAt } from '../instant.ts';
import { rotationMailJob } from '../jobs/mail-jobs.ts';
import type { Deadline, Ports, Profile, StoredSecret } from '../ports/index.ts';

/** An API key pair, in clear: it is answered once and never kept. */
export interface Credentials {
  readonly clientId: ClientId;
  readonly secret: string;
}

/** 7 days (specification, section 3). */
export const graceSecondsMax = 604_800;

type Needs = Pick<Ports, 'clock' | 'chance' | 'profiles' | 'keys' | 'vault' | 'mailer'>;

/** A new secret, with what may be kept of it. */
export const newSecret = async (
  { chance, keys }: Pick<Ports, 'chance' | 'keys'>,
  deadline: Deadline | null,
): Promise<{ readonly secret: string; readonly stored: StoredSecret }> => {
  const secret = makeSecret(chance.bytes(secretBytes));
  return { secret, stored: { hash: await keys.hash(secret, deadline), tag: keys.tag(secret) } };
};

/**
 * Replaces the secret of an approved client, which is mailed to it if mail is enabled; the one before stays good for `graceSeconds`.
 * A client that has no key yet (an admin before) gets its first one.
 */
export const rotateCredentials =
  (ports: Needs) =>
  (authority: Authority, id: ProfileId, graceSeconds: number): Promise<Credentials> =>
    rotate(ports, authority, id, graceSeconds, ports.mailer.enabled);

/** The same, by the client for itself, who needs no mail of it. */
export const rotateOwnCredentials =
  (ports: Needs) =>
  ({ profile, deadline }: Access, graceSeconds: number): Promise<Credentials> =>
    rotate(ports, { actor: profile, deadline }, profile.id, graceSeconds, false);

const rotate = async (
  ports: Needs,
  { actor, deadline }: Authority,
  id: ProfileId,
  graceSeconds: number,
  isMailed: boolean,
): Promise<Credentials> => {
  const profile = await ports.profiles.find(id);
  if (!profile) throw new PorticoError('user_not_found');
  refuseKeyless(profile);
  const freshId = ports.chance.uuid() as ClientId;
  const { secret, stored } = await newSecret(ports, deadline);
  const now = ports.clock.now();
  const after = await ports.profiles.update(id, ({ profile, key }) => {
    refuseKeyless(profile);
    const clientId = profile.clientId ?? freshId;
    const previousUntil = key && graceSeconds > 0 ? now + graceSeconds * 1_000 : null;
    return {
      profile: { ...profile, clientId, updatedAt: nextChangeAt(profile.updatedAt, now) },
      key: {
        current: stored,
        previous: key && previousUntil !== null ? { ...key.current, until: previousUntil } : null,
      },
      entries: [
        systemEntry(ports, actor, { action: 'credentials.rotate', ...ofProfile(profile), grace_seconds: graceSeconds }),
      ],
      jobs: isMailed ? [rotationMailJob(ports, id, { clientId, secret, previousUntil })] : [],
      deadline,
    };
  });
  return { clientId: after.clientId ?? freshId, secret };
};

const refuseKeyless = ({ role, status }: Profile): void => {
  if (role === 'admin') throw new PorticoError('has_no_key');
  if (status !== 'approved') throw new PorticoError('not_approved');
};
