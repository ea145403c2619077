import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** Up to so many profiles are read one by one; for more, one read of all costs less. */
const singleReadsMax = 50;

/** Returns which profile has each of these e-mails, which are in lower case; those that nobody has are missing. */
export const profilesByEmail = async (
  { profiles }: Pick<Ports, 'profiles'>,
  emails: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ProfileId>> => {
  const found =
    emails.size > singleReadsMax
      ? await profiles.list()
      : await Promise.all([...emails].map((email) => profiles.findByEmail(email)));
  return new Map(found.flatMap((profile) => (profile ? [[profile.email, profile.id] as const] : [])));
};
