import type { Access, Authority } from '../access/access.ts';
import { systemEntry } from '../audit/entries.ts';
import { PorticoError } from '../errors.ts';
import type { ProfileId } from '../ids.ts';
import { nextChangeAt } from '../instant.ts';
import { nextStatus } from './registration-machine.ts';
import type { Ports, Profile, ProfileState, Role } from '../ports/index.ts';

type Needs = Pick<Ports, 'clock' | 'chance' | 'profiles' | 'limits'>;

/** What a profile may change of itself; what is undefined stays, a `companyName` of null is cleared. */
export interface OwnProfileChange {
  readonly fullName?: string | undefined;
  readonly companyName?: string | null | undefined;
}

/** Changes the caller's own name and company; where nothing changes nothing is written. */
export const updateOwnProfile =
  ({ profiles, clock }: Pick<Needs, 'profiles' | 'clock'>) =>
  async ({ profile, deadline }: Access, change: OwnProfileChange): Promise<Profile> => {
    const edit = (current: Profile): Profile => ({
      ...current,
      fullName: change.fullName ?? current.fullName,
      companyName: change.companyName === undefined ? current.companyName : change.companyName,
    });
    const same = (a: Profile, b: Profile) => a.fullName === b.fullName && a.companyName === b.companyName;
    if (same(edit(profile), profile)) return profile;
    return profiles.update(profile.id, (state) => ({
      ...changed(state, edit(state.profile), clock.now()),
      entries: [],
      jobs: [],
      deadline,
    }));
  };

/** Makes an admin of a client or a client of an admin. Keys and grants sleep while the role is `admin`. */
export const changeRole =
  (ports: Needs) =>
  async ({ actorId, deadline }: Authority, id: ProfileId, role: Role): Promise<Profile> => {
    const entry = systemEntry(ports, actorId, { action: 'profile.role', profile_id: id, role });
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      if (state.profile.role === role) return { ...state, entries: [], jobs: [], deadline };
      const next = role === 'admin' ? promoted(state.profile, now) : demoted(state);
      return { ...changed(state, next, now), entries: [entry], jobs: [], deadline };
    });
  };

/** An admin is always approved. */
export const promoted = (profile: Profile, now: number): Profile => ({
  ...profile,
  role: 'admin',
  status: nextStatus(profile.status, 'promote'),
  approvedAt: profile.approvedAt ?? now,
});

const demoted = (state: ProfileState): Profile => {
  refuseLastAdmin(state);
  return { ...state.profile, role: 'client' };
};

/** Assigns a rate-limit tier, or none; raises `tier_not_found`. */
export const assignTier =
  (ports: Needs) =>
  async ({ actorId, deadline }: Authority, id: ProfileId, tier: string | null): Promise<Profile> => {
    if (!(await ports.profiles.find(id))) throw new PorticoError('user_not_found');
    if (tier !== null && !(await ports.limits.tiers()).some((known) => known.tier === tier)) {
      throw new PorticoError('tier_not_found');
    }
    const entry = systemEntry(ports, actorId, { action: 'profile.tier', profile_id: id, tier });
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) =>
      state.profile.tier === tier
        ? { ...state, entries: [], jobs: [], deadline }
        : { ...changed(state, { ...state.profile, tier }, now), entries: [entry], jobs: [], deadline },
    );
  };

/** Deletes a profile with its grants, keys, overrides and unsent mails. The last admin stays. */
export const removeProfile =
  (ports: Needs) =>
  async ({ actorId, deadline }: Authority, id: ProfileId): Promise<void> => {
    const entry = systemEntry(ports, actorId, { action: 'profile.delete', profile_id: id });
    await ports.profiles.remove(id, (state) => {
      refuseLastAdmin(state);
      return { entries: [entry], jobs: [], deadline };
    });
  };

const refuseLastAdmin = ({ profile, admins }: ProfileState): void => {
  if (profile.role === 'admin' && admins <= 1) throw new PorticoError('last_admin');
};

const changed = ({ profile, key }: ProfileState, next: Profile, now: number) => ({
  profile: { ...next, updatedAt: nextChangeAt(profile.updatedAt, now) },
  key,
});
