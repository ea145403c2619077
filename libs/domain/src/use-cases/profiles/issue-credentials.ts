import type { Initiator, PersonAuthority, Principal } from '../../access/principal.ts';
import { secretBytes } from '../../checked-secret.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { type Instant, nextChangeAt, toIso } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { type Credentials, makeSecret, type StoredSecret } from '../../profiles/api-key.ts';
import type { ApprovedProfile, Profile } from '../../profiles/profile.ts';
import { getNextStatus } from '../../profiles/registration-machine.ts';
import { profileFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { prepareEvent } from '../webhooks/create-event-jobs.ts';
import { keyRotatedDataOf } from '../webhooks/event-data.ts';
import { createCredentialsMailJob, createRotationMailJob } from '../mails/mail-jobs.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'profiles' | 'keys' | 'cipher' | 'mailer'>;

type RotationPorts = RequiredPorts & Pick<Ports, 'webhooks'>;

/**
 * Approves a pending profile and issues its API credentials, which are returned only this once and mailed if mail is
 * enabled. One of several concurrent approvals succeeds, with one key pair.
 */
export const approveProfile =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: ProfileId): Promise<Credentials> => {
    await assertApprovable(ports, id);
    return approveWith(ports, authority, id, await createSecret(ports, authority.deadline));
  };

/** Approves a profile with an existing secret. */
export const approveWith = async (
  ports: RequiredPorts,
  authority: PersonAuthority,
  id: ProfileId,
  { secret, storedSecret }: NewSecret,
): Promise<Credentials> => {
  const clientId = ports.random.uuid() as ClientId;
  const credentials = { clientId, secret };
  const jobs = ports.mailer.enabled ? [createCredentialsMailJob(ports, id, credentials)] : [];
  const now = ports.clock.now();
  await ports.profiles.update(id, ({ profile }) => ({
    profile: {
      ...profile,
      status: getNextStatus(profile.status, 'approve'),
      clientId,
      approvedAt: now,
      updatedAt: nextChangeAt(profile.updatedAt, now),
    },
    key: { current: storedSecret, previous: null, expiresAt: null },
    ...createAuditEffects(ports, authority, {
      action: 'profile.approve',
      ...profileFieldsOf(profile),
      client_id: clientId,
    }),
    jobs,
  }));
  return credentials;
};

/** Rejects early, before a hash is computed unnecessarily; the decision itself is made in the transaction. */
const assertApprovable = async ({ profiles }: Pick<Ports, 'profiles'>, id: ProfileId): Promise<void> => {
  const profile = await profiles.find(id);
  if (!profile) throw new PorticoError('user_not_found');
  getNextStatus(profile.status, 'approve');
};

/** The options for replacing a secret. */
interface Rotation {
  readonly graceSeconds: number;
  /** The new expiry of the key, and thus of both secrets; undefined leaves it unchanged, and null removes it. */
  readonly expiresAt?: Instant | null | undefined;
}

/**
 * Replaces the secret of an approved client and emails the new one if mail is enabled; the previous one remains valid
 * for `graceSeconds`. A client without a key (a former admin) gets its first one.
 */
export const rotateCredentials =
  (ports: RotationPorts) =>
  async (
    authority: PersonAuthority,
    id: ProfileId,
    graceSeconds: number,
    expiresAt?: Rotation['expiresAt'],
  ): Promise<Credentials> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return rotate(ports, authority, id, { graceSeconds, expiresAt }, ports.mailer.enabled);
  };

/** Changes when the API key of an approved client expires; null means never. The key's secrets are kept. */
export const changeKeyExpiry =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles'>) =>
  async (authority: PersonAuthority, id: ProfileId, expiresAt: Instant | null): Promise<Profile> => {
    const now = ports.clock.now();
    rejectPastExpiry(expiresAt, now);
    return ports.profiles.update(id, (state) => {
      const { profile, key } = state;
      rejectIfKeyless(profile);
      if (!key) throw new PorticoError('has_no_key_yet');
      if (key.expiresAt === expiresAt) return { ...state, deadline: authority.deadline };
      const message = {
        action: 'credentials.expiry' as const,
        ...profileFieldsOf(profile),
        ...expiryFieldOf(expiresAt),
      };
      return {
        profile: { ...profile, updatedAt: nextChangeAt(profile.updatedAt, now) },
        key: { ...key, expiresAt },
        ...createAuditEffects(ports, authority, message),
      };
    });
  };

const expiryFieldOf = (expiresAt: Instant | null) => ({ expires_at: expiresAt === null ? null : toIso(expiresAt) });

/**
 * Replaces the caller's own secret as `rotateCredentials` does, but: no mail is needed, and the expiry set by an administrator is kept.
 */
export const rotateOwnCredentials =
  (ports: RotationPorts) =>
  ({ profile, deadline }: Principal, graceSeconds: number): Promise<Credentials> =>
    rotate(ports, { actor: profile, deadline }, profile.id, { graceSeconds }, false);

const rotate = async (
  ports: RotationPorts,
  initiator: Initiator,
  id: ProfileId,
  { graceSeconds, expiresAt }: Rotation,
  isMailed: boolean,
): Promise<Credentials> => {
  const profile = await ports.profiles.find(id);
  if (!profile) throw new PorticoError('user_not_found');
  rejectIfKeyless(profile);
  const newClientId = ports.random.uuid() as ClientId;
  const { secret, storedSecret } = await createSecret(ports, initiator.deadline);
  const createEventJobs = await prepareEvent(ports, 'key.rotated');
  const now = ports.clock.now();
  const updatedProfile = await ports.profiles.update(id, ({ profile, key }) => {
    rejectIfKeyless(profile);
    const clientId = profile.clientId ?? newClientId;
    const previousUntil = key && graceSeconds > 0 ? now + graceSeconds * 1_000 : null;
    const expiry = expiresAt === undefined ? {} : expiryFieldOf(expiresAt);
    const message = {
      action: 'credentials.rotate' as const,
      ...profileFieldsOf(profile),
      grace_seconds: graceSeconds,
      ...expiry,
    };
    return {
      profile: { ...profile, clientId, updatedAt: nextChangeAt(profile.updatedAt, now) },
      key: {
        current: storedSecret,
        previous: key && previousUntil !== null ? { ...key.current, until: previousUntil } : null,
        expiresAt: expiresAt === undefined ? (key?.expiresAt ?? null) : expiresAt,
      },
      ...createAuditEffects(ports, initiator, message),
      jobs: [
        ...(isMailed ? [createRotationMailJob(ports, id, { clientId, secret, previousUntil })] : []),
        ...createEventJobs(keyRotatedDataOf({ ...profile, clientId }, previousUntil, initiator)),
      ],
    };
  });
  return { clientId: updatedProfile.clientId ?? newClientId, secret };
};

function rejectIfKeyless(profile: Profile): asserts profile is ApprovedProfile {
  if (profile.role === 'admin') throw new PorticoError('has_no_key');
  if (profile.status !== 'approved') throw new PorticoError('not_approved');
}

/** A new secret, and its parts that may be stored. */
export interface NewSecret {
  readonly secret: string;
  readonly storedSecret: StoredSecret;
}

export const createSecret = async (
  { random, keys }: Pick<Ports, 'random' | 'keys'>,
  deadline: Deadline | null,
): Promise<NewSecret> => {
  const secret = makeSecret(random.bytes(secretBytes));
  return { secret, storedSecret: await toStoredSecret(keys, secret, deadline) };
};

/** Returns the parts of a secret that may be stored. */
export const toStoredSecret = async (
  keys: Ports['keys'],
  secret: string,
  deadline: Deadline | null,
): Promise<StoredSecret> => ({ hash: await keys.hash(secret, deadline), tag: keys.tag(secret) });
