import type { AdminAuthority, Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { allProfiles, type ProfileFilter, type ProfilePage, oldestFirst } from '../../profiles/profile-filter.ts';
import type { Profile } from '../../profiles/profile.ts';

/** Returns all profiles that match the filter, oldest first, or one page of them. */
export const listProfiles =
  ({ profiles }: Pick<Ports, 'profiles'>) =>
  (
    _authority: AdminAuthority,
    filter: ProfileFilter = allProfiles,
    page: ProfilePage = oldestFirst,
  ): Promise<readonly Profile[]> =>
    profiles.select(filter, page);

export const countProfiles =
  ({ profiles }: Pick<Ports, 'profiles'>) =>
  (_authority: AdminAuthority, filter: ProfileFilter): Promise<number> =>
    profiles.count(filter);

/** Returns one profile; throws `user_not_found`. */
export const readProfile =
  ({ profiles }: Pick<Ports, 'profiles'>) =>
  async (_authority: AdminAuthority, id: ProfileId): Promise<Profile> => {
    const profile = await profiles.find(id);
    if (!profile) throw new PorticoError('user_not_found');
    return profile;
  };

/** Returns when the keys of these profiles expire, omitting profiles without a key or with a key that never expires. */
export const readKeyExpiries =
  ({ accessMatrix }: Pick<Ports, 'accessMatrix'>) =>
  (_authority: AdminAuthority, profiles: readonly Pick<Profile, 'id'>[]): Promise<ReadonlyMap<ProfileId, Instant>> =>
    accessMatrix.findKeyExpiries(profiles.map(({ id }) => id));

/** Returns when the caller's own key expires; null if it never does. */
export const readOwnKeyExpiry =
  ({ accessMatrix }: Pick<Ports, 'accessMatrix'>) =>
  async ({ profile }: Principal): Promise<Instant | null> =>
    (await accessMatrix.findKeyExpiries([profile.id])).get(profile.id) ?? null;
