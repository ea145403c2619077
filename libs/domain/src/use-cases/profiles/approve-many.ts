import type { PersonAuthority } from '../../access/principal.ts';
import { isPorticoError } from '../../errors.ts';
import { referenceTextOf, type ProfileReference } from '../../grants/reference.ts';
import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import type { Profile } from '../../profiles/profile.ts';
import { approveWith, createSecret, type NewSecret } from './issue-credentials.ts';

/**
 * The maximum number of approvals in one request: each needs a hash that takes about 20 ms to compute, and all hashes
 * are computed within the request's deadline.
 */
export const approvalsMax = 50;

export type ApprovalResult = 'approved' | 'already_approved' | 'already_rejected' | 'not_found' | 'failed';

export interface ApprovalOutcome {
  readonly result: ApprovalResult;
  /** Null if there is no such profile. */
  readonly id: ProfileId | null;
  /** The profile's email or, if there is no such profile, the reference in the request. */
  readonly name: string;
  /** Returned only this once; null unless the profile was approved. */
  readonly credentials: Credentials | null;
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'profiles' | 'keys' | 'cipher' | 'mailer'>;

/**
 * Approves many pending profiles, each in its own transaction, with its own key pair and mail. All secrets are created
 * before the first profile is approved: until then, nothing has changed, and the request may still time out. After
 * that, it cannot time out, so the response always contains the approved profiles; a profile that the database then
 * rejects has `failed`.
 */
export const approveMany =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, references: readonly ProfileReference[]): Promise<readonly ApprovalOutcome[]> => {
    const candidates = await findCandidates(ports, references);
    const pendingIds = candidates.flatMap(({ profile }) => (profile?.status === 'pending' ? [profile.id] : []));
    const secrets = await createSecrets(ports, authority, pendingIds);
    const outcomes: ApprovalOutcome[] = [];
    for (const { name, profile } of candidates) {
      const secret = profile && secrets.get(profile.id);
      if (!profile) outcomes.push({ result: 'not_found', id: null, name, credentials: null });
      else if (secret) outcomes.push(await approveOne(ports, authority, profile, secret, outcomes));
      else outcomes.push(outcomeOf(profile, profile.status === 'rejected' ? 'already_rejected' : 'already_approved'));
    }
    return outcomes;
  };

interface Candidate {
  readonly name: string;
  readonly profile: Profile | null;
}

/** Returns each profile once, in the order of the references. */
const findCandidates = async (
  { profiles }: Pick<Ports, 'profiles'>,
  references: readonly ProfileReference[],
): Promise<readonly Candidate[]> => {
  const candidates = new Map<string, Candidate>();
  for (const reference of references) {
    const profile = await (reference.by === 'id' ? profiles.find(reference.id) : profiles.findByEmail(reference.name));
    candidates.set(profile?.id ?? referenceTextOf(reference), {
      name: profile?.email ?? referenceTextOf(reference),
      profile,
    });
  }
  return [...candidates.values()];
};

/** The number of hashes that are computed concurrently; limited, so that other requests get their turn. */
const concurrentHashes = 4;

const createSecrets = async (
  ports: RequiredPorts,
  { deadline }: PersonAuthority,
  ids: readonly ProfileId[],
): Promise<ReadonlyMap<ProfileId, NewSecret>> => {
  const secrets = new Map<ProfileId, NewSecret>();
  const queue = ids.values();
  const createNext = async (): Promise<void> => {
    for (const id of queue) secrets.set(id, await createSecret(ports, deadline));
  };
  await Promise.all(Array.from({ length: concurrentHashes }, createNext));
  return secrets;
};

const approveOne = async (
  ports: RequiredPorts,
  authority: PersonAuthority,
  profile: Profile,
  secret: NewSecret,
  previousOutcomes: readonly ApprovalOutcome[],
): Promise<ApprovalOutcome> => {
  try {
    return outcomeOf(profile, 'approved', await approveWith(ports, authority, profile.id, secret));
  } catch (error) {
    if (isPorticoError(error, 'already_approved')) return outcomeOf(profile, 'already_approved');
    if (isPorticoError(error, 'already_rejected')) return outcomeOf(profile, 'already_rejected');
    if (isPorticoError(error, 'user_not_found')) return { ...outcomeOf(profile, 'not_found'), id: null };
    // A request that returns an error must not have changed anything, and the secrets of the approved profiles could
    // never be returned again.
    if (previousOutcomes.some(({ result }) => result === 'approved')) return outcomeOf(profile, 'failed');
    throw error;
  }
};

const outcomeOf = (
  { id, email }: Profile,
  result: ApprovalResult,
  credentials: Credentials | null = null,
): ApprovalOutcome => ({ result, id, name: email, credentials });
