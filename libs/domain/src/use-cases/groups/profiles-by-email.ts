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
    emails.size > singleReadsMax ? finder(await profiles.list()) : (email: string) => profiles.findByEmail(email);
  const found = await Promise.all([...emails].map(async (email) => [email, (await find(email))?.id] as const));
  return new Map(found.flatMap(([email, id]) => (id ? [[email, id] as const] : [])));
};

/** Finds among all profiles as `ProfileStore.findByEmail` does. */
const finder = (all: readonly Profile[]) => {
  const exact = new Map(all.map((profile) => [profile.email, profile]));
  const byKey = new Map(all.map((profile) => [emailKey(profile.email), profile]));
  return (email: string): Profile | undefined => {
    const key = emailKey(email);
    return exact.get(email) ?? (key === null ? undefined : byKey.get(key));
  };
};
