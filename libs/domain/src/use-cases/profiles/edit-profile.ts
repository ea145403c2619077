import type { AdminAuthority, PersonAuthority, Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { ProfileState } from '../../ports/profile-store.ts';
import { canSignIn } from '../../profiles/identity.ts';
import type { ApprovedProfile, Profile, Role } from '../../profiles/profile.ts';
import { nextStatus } from '../../profiles/registration-machine.ts';
import { nextSuspension } from '../../profiles/suspension-machine.ts';
import type { Settings } from '../../settings.ts';
import { ofProfile, auditEffects } from '../audit/system-entry.ts';
import { resumptionMailJob, suspensionMailJob } from '../mails/mail-jobs.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'profiles'>;
type MailingNeeds = Needs & Pick<Ports, 'mailer'>;

/**
 * The fields that a profile may change about itself; undefined members are left unchanged, and null clears
 * `companyName`.
 */
export interface OwnProfileChange {
  readonly fullName?: string | undefined;
  readonly companyName?: string | null | undefined;
}

/** Changes the caller's own name and company; writes nothing if nothing changes. */
export const updateOwnProfile =
  ({ profiles, clock }: Pick<Needs, 'profiles' | 'clock'>) =>
  async ({ profile, deadline }: Principal, change: OwnProfileChange): Promise<Profile> => {
    const edit = (current: Profile): Profile => ({
      ...current,
      fullName: change.fullName ?? current.fullName,
      companyName: change.companyName === undefined ? current.companyName : change.companyName,
    });
    const isSame = (a: Profile, b: Profile) => a.fullName === b.fullName && a.companyName === b.companyName;
    if (isSame(edit(profile), profile)) return profile;
    return profiles.update(profile.id, (state) => ({
      ...changeOf(state, edit(state.profile), clock.now()),
      deadline,
    }));
  };

/** A profile with its new role, and a warning for the admin who changed it. */
export interface ChangedRole {
  readonly profile: Profile;
  /** Warns that no user can sign in as this admin yet; null if there is no warning. */
  readonly warning: string | null;
}

/** Changes a client to an admin or an admin to a client. Keys and grants are dormant while the role is `admin`. */
export const changeRole =
  (ports: Needs, settings: Settings) =>
  async (authority: PersonAuthority, id: ProfileId, role: Role): Promise<ChangedRole> => {
    const now = ports.clock.now();
    const profile = await ports.profiles.update(id, (state) => {
      if (state.profile.role === role) return { ...state, deadline: authority.deadline };
      const next = role === 'admin' ? promote(state.profile, now) : demote(settings, state);
      const effects = auditEffects(ports, authority, { action: 'profile.role', ...ofProfile(state.profile), role });
      return { ...changeOf(state, next, now), ...effects };
    });
    return { profile, warning: role === 'admin' ? adminWarning(settings, profile) : null };
  };

const adminWarning = (settings: Settings, profile: Profile): string | null => {
  if (canSignIn(settings, profile)) return null;
  if (profile.suspendedAt !== null) return 'No one can sign in as this admin: the profile is suspended.';
  if (profile.issuer !== null)
    return 'No one can sign in as this admin: the issuer that the profile is bound to is disabled.';
  const claims = settings.identityEmailCheck === 'off' ? 'user id' : 'user id and e-mail';
  return `No one has signed in as this profile yet: the first person to present a token with its ${claims} becomes the admin.`;
};

/** Makes a profile an admin and approves it: an admin is always approved. */
export const promote = (profile: Profile, now: number): ApprovedProfile => ({
  ...profile,
  role: 'admin',
  status: nextStatus(profile.status, 'promote'),
  approvedAt: profile.approvedAt ?? now,
});

const demote = (settings: Settings, state: ProfileState): Profile => {
  rejectIfLastAdmin(settings, state);
  return { ...state.profile, role: 'client' };
};

/**
 * Suspends a profile: from then on, it cannot authenticate by token or key, but none of its data is lost. The last
 * admin who can sign in cannot be suspended. The profile is notified by mail, with the reason.
 */
export const suspendProfile =
  (ports: MailingNeeds, settings: Settings) =>
  (authority: PersonAuthority, id: ProfileId, reason: string | null): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      const suspendedAt = nextSuspension(state.profile, 'suspend', now);
      rejectIfLastAdmin(settings, state);
      const effects = auditEffects(ports, authority, {
        action: 'profile.suspend',
        ...ofProfile(state.profile),
        reason,
      });
      const jobs = ports.mailer.enabled ? [suspensionMailJob(ports, id, reason)] : [];
      return { ...changeOf(state, { ...state.profile, suspendedAt }, now), ...effects, jobs };
    });
  };

export const resumeProfile =
  (ports: MailingNeeds) =>
  (authority: PersonAuthority, id: ProfileId): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      const suspendedAt = nextSuspension(state.profile, 'resume', now);
      const effects = auditEffects(ports, authority, { action: 'profile.resume', ...ofProfile(state.profile) });
      const jobs = ports.mailer.enabled ? [resumptionMailJob(ports, id)] : [];
      return { ...changeOf(state, { ...state.profile, suspendedAt }, now), ...effects, jobs };
    });
  };

/** Assigns a rate-limit tier, or none if null; throws `tier_not_found`. */
export const assignTier =
  (ports: Needs) =>
  async (authority: AdminAuthority, id: ProfileId, tier: string | null): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      if (state.profile.tier === tier) return { ...state, deadline: authority.deadline };
      const effects = auditEffects(ports, authority, { action: 'profile.tier', ...ofProfile(state.profile), tier });
      return { ...changeOf(state, { ...state.profile, tier }, now), ...effects };
    });
  };

/** Deletes a profile with its grants, keys, overrides and unsent mails. The last admin cannot be deleted. */
export const removeProfile =
  (ports: Needs, settings: Settings) =>
  async (authority: PersonAuthority, id: ProfileId): Promise<void> => {
    await ports.profiles.remove(id, (state) => {
      rejectIfLastAdmin(settings, state);
      return auditEffects(ports, authority, { action: 'profile.delete', ...ofProfile(state.profile) });
    });
  };

/**
 * Throws `last_admin` unless at least one other admin who can sign in remains. An admin of a disabled issuer does not
 * count, nor does an unbound one.
 */
const rejectIfLastAdmin = (settings: Settings, { profile, admins }: ProfileState): void => {
  const isOtherLeft = admins.some((admin) => admin.id !== profile.id && canSignIn(settings, admin));
  if (profile.role === 'admin' && !isOtherLeft) throw new PorticoError('last_admin');
};

const changeOf = ({ profile, key }: ProfileState, next: Profile, now: number) => ({
  profile: { ...next, updatedAt: nextChangeAt(profile.updatedAt, now) },
  key,
});
