import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { emailKey } from '../../profiles/email.ts';
import type { Profile } from '../../profiles/profile.ts';

/** Up to so many profiles are read one by one; for more, one read of all costs less. */
const singleReadsMax = 50;

/** Returns which profile has each of these e-mails, by the e-mail as it was asked for; those that nobody has are missing. */
export const profilesByEmail = async (
  { profiles }: Pick<Ports, 'profiles'>,
  emails: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ProfileId>> => {
  const find =
    emails.size > singleReadsMax
      ? finder(profiles, await profiles.list())
      : (email: string) => profiles.findByEmail(email);
  const found = await Promise.all([...emails].map(async (email) => [email, (await find(email))?.id] as const));
  return new Map(found.flatMap(([email, id]) => (id ? [[email, id] as const] : [])));
};

/** Finds among all profiles as `ProfileStore.findByEmail` does, which is asked where several have one mailbox. */
const finder = (profiles: Ports['profiles'], all: readonly Profile[]) => {
  const exact = new Map(all.map((profile) => [profile.email, profile]));
  const byKey = Map.groupBy(all, (profile) => emailKey(profile.email));
  return async (email: string): Promise<Profile | null | undefined> => {
    const key = emailKey(email);
    const [one, ...others] = (key !== null && byKey.get(key)) || [];
    return exact.get(email) ?? (others.length > 0 ? profiles.findByEmail(email) : one);
  };
};
