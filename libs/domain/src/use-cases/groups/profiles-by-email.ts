import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { emailKey } from '../../profiles/email.ts';
import type { Profile } from '../../profiles/profile.ts';

/** The maximum number of profiles that are read one by one; for more, it is cheaper to read all profiles at once. */
const singleReadsMax = 50;

/** Returns the profiles with these e-mails, keyed by the e-mail as requested; e-mails without a profile are omitted. */
export const profilesByEmail = async (
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
const createFinder = (profiles: Ports['profiles'], all: readonly Profile[]) => {
  const exact = new Map(all.map((profile) => [profile.email, profile]));
  const byKey = Map.groupBy(all, (profile) => emailKey(profile.email));
  return async (email: string): Promise<Profile | null | undefined> => {
    const key = emailKey(email);
    const [first, ...others] = (key !== null && byKey.get(key)) || [];
    return exact.get(email) ?? (others.length > 0 ? profiles.findByEmail(email) : first);
  };
};
