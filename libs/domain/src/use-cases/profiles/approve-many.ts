import type { PersonAuthority } from '../../access/principal.ts';
import { isPorticoError } from '../../errors.ts';
import { given, type ProfileReference } from '../../grants/reference.ts';
import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import type { Profile } from '../../profiles/profile.ts';
import { approveWith, newSecret, type NewSecret } from './issue-credentials.ts';

/** Of one request: each needs a hash of some 20 ms, and all of them are made within its deadline. */
export const approvalsMax = 50;

export type ApprovalResult = 'approved' | 'already_approved' | 'already_rejected' | 'not_found' | 'failed';

export interface ApprovalOutcome {
  readonly result: ApprovalResult;
  /** Null if there is no such profile. */
  readonly id: ProfileId | null;
  /** The profile's e-mail; if there is none, what it was named by. */
  readonly name: string;
  /** Shown only this once; null unless it was approved. */
  readonly credentials: Credentials | null;
}

type Needs = Pick<Ports, 'clock' | 'random' | 'profiles' | 'keys' | 'cipher' | 'mailer'>;

/**
 * Approves many pending profiles, each in a transaction of its own, with its own key pair and mail. All secrets are made
 * before the first is approved: until then nothing has changed, and the request may still run out of time. After that it
 * may not, so what was approved is always answered; a profile whose turn the database then refuses has `failed`.
 */
export const approveMany =
  (ports: Needs) =>
  async (authority: PersonAuthority, references: readonly ProfileReference[]): Promise<readonly ApprovalOutcome[]> => {
    const named = await findEach(ports, references);
    const pending = named.flatMap(({ profile }) => (profile?.status === 'pending' ? [profile.id] : []));
    const secrets = await secretsFor(ports, authority, pending);
    const outcomes: ApprovalOutcome[] = [];
    for (const { name, profile } of named) {
      const secret = profile && secrets.get(profile.id);
      if (!profile) outcomes.push({ result: 'not_found', id: null, name, credentials: null });
      else if (secret) outcomes.push(await approveOne(ports, authority, profile, secret, outcomes));
      else outcomes.push(outcomeOf(profile, profile.status === 'rejected' ? 'already_rejected' : 'already_approved'));
    }
    return outcomes;
  };

interface Named {
  readonly name: string;
  readonly profile: Profile | null;
}

/** Each profile once, in the order in which they are named. */
const findEach = async (
  { profiles }: Pick<Ports, 'profiles'>,
  references: readonly ProfileReference[],
): Promise<readonly Named[]> => {
  const named = new Map<string, Named>();
  for (const reference of references) {
    const profile = await (reference.by === 'id' ? profiles.find(reference.id) : profiles.findByEmail(reference.name));
    named.set(profile?.id ?? given(reference), { name: profile?.email ?? given(reference), profile });
  }
  return [...named.values()];
};

/** Hashes that are waited for at a time, so that other requests get their turn. */
const hashesAtOnce = 4;

const secretsFor = async (
  ports: Needs,
  { deadline }: PersonAuthority,
  ids: readonly ProfileId[],
): Promise<ReadonlyMap<ProfileId, NewSecret>> => {
  const secrets = new Map<ProfileId, NewSecret>();
  const waiting = ids.values();
  const work = async (): Promise<void> => {
    for (const id of waiting) secrets.set(id, await newSecret(ports, deadline));
  };
  await Promise.all(Array.from({ length: hashesAtOnce }, work));
  return secrets;
};

const approveOne = async (
  ports: Needs,
  authority: PersonAuthority,
  profile: Profile,
  secret: NewSecret,
  before: readonly ApprovalOutcome[],
): Promise<ApprovalOutcome> => {
  try {
    return outcomeOf(profile, 'approved', await approveWith(ports, authority, profile.id, secret));
  } catch (error) {
    if (isPorticoError(error, 'already_approved')) return outcomeOf(profile, 'already_approved');
    if (isPorticoError(error, 'already_rejected')) return outcomeOf(profile, 'already_rejected');
    if (isPorticoError(error, 'user_not_found')) return { ...outcomeOf(profile, 'not_found'), id: null };
    // An error answer has changed nothing, and nobody else could be told the secrets of those that were approved.
    if (before.some(({ result }) => result === 'approved')) return outcomeOf(profile, 'failed');
    throw error;
  }
};

const outcomeOf = (
  { id, email }: Profile,
  result: ApprovalResult,
  credentials: Credentials | null = null,
): ApprovalOutcome => ({ result, id, name: email, credentials });
