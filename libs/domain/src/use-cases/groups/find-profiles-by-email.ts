import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { toEmailKey } from '../../profiles/email.ts';
import type { Profile } from '../../profiles/profile.ts';

/** The maximum number of profiles that are read one by one; for more, it is cheaper to read all profiles at once. */
const singleReadsMax = 50;

/** Returns the profiles with these emails, keyed by the email as requested; emails without a profile are omitted. */
export const findProfilesByEmail = async (
  { profiles }: Pick<Ports, 'profiles'>,
  emails: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ProfileId>> => {
  const find =
    emails.size > singleReadsMax
      ? createFinder(profiles, await profiles.list())
      : (email: string) => profiles.findByEmail(email);
  const matches = await Promise.all([...emails].map(async (email) => [email, (await find(email))?.id] as const));
  return new Map(matches.flatMap(([email, id]) => (id ? [[email, id] as const] : [])));
};

/**
 * Creates a function that finds a profile among all profiles as `ProfileStore.findByEmail` does, which it calls if
 * several have the same mailbox.
 */
const createFinder = (profiles: Ports['profiles'], profileList: readonly Profile[]) => {
  const profilesByEmail = new Map(profileList.map((profile) => [profile.email, profile]));
  const profilesByEmailKey = Map.groupBy(profileList, (profile) => toEmailKey(profile.email));
  return async (email: string): Promise<Profile | null | undefined> => {
    const key = toEmailKey(email);
    const [match, ...otherMatches] = (key !== null && profilesByEmailKey.get(key)) || [];
    return profilesByEmail.get(email) ?? (otherMatches.length > 0 ? profiles.findByEmail(email) : match);
  };
};
