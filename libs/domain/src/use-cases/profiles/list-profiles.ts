import type { AdminAuthority, Principal } from '../../access/principal.ts';
import type { ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile, RegistrationStatus } from '../../profiles/profile.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';

/** Which profiles; null for any. */
export interface ProfileFilter {
  readonly status: RegistrationStatus | null;
  readonly suspended: boolean | null;
  /** Part of the e-mail or the full name, whatever the case. */
  readonly text: string | null;
}

const everyone: ProfileFilter = { status: null, suspended: null, text: null };

/** Returns the profiles that match, oldest first. */
export const listProfiles =
  ({ profiles }: Pick<Ports, 'profiles'>) =>
  async (_authority: AdminAuthority, filter: ProfileFilter = everyone): Promise<readonly Profile[]> =>
    (await profiles.list()).filter((profile) => matches(filter, profile));

const matches = ({ status, suspended, text }: ProfileFilter, profile: Profile): boolean =>
  (status === null || profile.status === status) &&
  (suspended === null || isSuspended(profile) === suspended) &&
  (text === null || [profile.email, profile.fullName].some((name) => folded(name).includes(folded(text))));

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** When the keys that expire do so, of all profiles or of one. */
export const readKeyExpiries =
  ({ accessMatrix }: Pick<Ports, 'accessMatrix'>) =>
  (_authority: AdminAuthority, profile: ProfileId | null): Promise<ReadonlyMap<ProfileId, Instant>> =>
    accessMatrix.keyExpiries(profile);

/** The same of the caller's own key; null if it has no end. */
export const readOwnKeyExpiry =
  ({ accessMatrix }: Pick<Ports, 'accessMatrix'>) =>
  async ({ profile }: Principal): Promise<Instant | null> =>
    (await accessMatrix.keyExpiries(profile.id)).get(profile.id) ?? null;
