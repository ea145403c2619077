import type { AdminAuthority, PersonAuthority, Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { ProfileState } from '../../ports/profile-store.ts';
import { canSignIn } from '../../profiles/identity.ts';
import type { ApprovedProfile, Profile, Role } from '../../profiles/profile.ts';
import { getNextStatus } from '../../profiles/registration-machine.ts';
import { getNextSuspension } from '../../profiles/suspension-machine.ts';
import type { Settings } from '../../settings.ts';
import { profileFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { createResumptionMailJob, createSuspensionMailJob } from '../mails/mail-jobs.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'profiles'>;
type MailingPorts = RequiredPorts & Pick<Ports, 'mailer'>;

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
  ({ profiles, clock }: Pick<RequiredPorts, 'profiles' | 'clock'>) =>
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
export interface RoleChange {
  readonly profile: Profile;
  /** Warns that no user can sign in as this admin yet; null if there is no warning. */
  readonly warning: string | null;
}

/** Changes a client to an admin or an admin to a client. Keys and grants are dormant while the role is `admin`. */
export const changeRole =
  (ports: RequiredPorts, settings: Settings) =>
  async (authority: PersonAuthority, id: ProfileId, role: Role): Promise<RoleChange> => {
    const now = ports.clock.now();
    const profile = await ports.profiles.update(id, (state) => {
      if (state.profile.role === role) return { ...state, deadline: authority.deadline };
      const next = role === 'admin' ? promote(state.profile, now) : demote(settings, state);
      const effects = createAuditEffects(ports, authority, {
        action: 'profile.role',
        ...profileFieldsOf(state.profile),
        role,
      });
      return { ...changeOf(state, next, now), ...effects };
    });
    return { profile, warning: role === 'admin' ? adminWarningFor(settings, profile) : null };
  };

const adminWarningFor = (settings: Settings, profile: Profile): string | null => {
  if (canSignIn(settings, profile)) return null;
  if (profile.suspendedAt !== null) return 'No one can sign in as this admin: the profile is suspended.';
  if (profile.issuer !== null)
    return 'No one can sign in as this admin: the issuer that the profile is bound to is disabled.';
  const claims = settings.identityEmailCheck === 'off' ? 'user id' : 'user id and email';
  return `No one has signed in as this profile yet: the first person to present a token with its ${claims} becomes the admin.`;
};

/** Makes a profile an admin and approves it: an admin is always approved. */
export const promote = (profile: Profile, now: number): ApprovedProfile => ({
  ...profile,
  role: 'admin',
  status: getNextStatus(profile.status, 'promote'),
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
  (ports: MailingPorts, settings: Settings) =>
  (authority: PersonAuthority, id: ProfileId, reason: string | null): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      const suspendedAt = getNextSuspension(state.profile, 'suspend', now);
      rejectIfLastAdmin(settings, state);
      const effects = createAuditEffects(ports, authority, {
        action: 'profile.suspend',
        ...profileFieldsOf(state.profile),
        reason,
      });
      const jobs = ports.mailer.enabled ? [createSuspensionMailJob(ports, id, reason)] : [];
      return { ...changeOf(state, { ...state.profile, suspendedAt }, now), ...effects, jobs };
    });
  };

export const resumeProfile =
  (ports: MailingPorts) =>
  (authority: PersonAuthority, id: ProfileId): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      const suspendedAt = getNextSuspension(state.profile, 'resume', now);
      const effects = createAuditEffects(ports, authority, {
        action: 'profile.resume',
        ...profileFieldsOf(state.profile),
      });
      const jobs = ports.mailer.enabled ? [createResumptionMailJob(ports, id)] : [];
      return { ...changeOf(state, { ...state.profile, suspendedAt }, now), ...effects, jobs };
    });
  };

/** Assigns a rate-limit tier, or none if null; throws `tier_not_found`. */
export const assignTier =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, id: ProfileId, tier: string | null): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, (state) => {
      if (state.profile.tier === tier) return { ...state, deadline: authority.deadline };
      const effects = createAuditEffects(ports, authority, {
        action: 'profile.tier',
        ...profileFieldsOf(state.profile),
        tier,
      });
      return { ...changeOf(state, { ...state.profile, tier }, now), ...effects };
    });
  };

/** Deletes a profile with its grants, keys, overrides and unsent emails. The last admin cannot be deleted. */
export const removeProfile =
  (ports: RequiredPorts, settings: Settings) =>
  async (authority: PersonAuthority, id: ProfileId): Promise<void> => {
    await ports.profiles.remove(id, (state) => {
      rejectIfLastAdmin(settings, state);
      return createAuditEffects(ports, authority, { action: 'profile.delete', ...profileFieldsOf(state.profile) });
    });
  };

/**
 * Throws `last_admin` unless at least one other admin who can sign in remains. An admin of a disabled issuer does not
 * count, nor does an unbound one.
 */
const rejectIfLastAdmin = (settings: Settings, { profile, admins }: ProfileState): void => {
  const hasOtherAdmin = admins.some((admin) => admin.id !== profile.id && canSignIn(settings, admin));
  if (profile.role === 'admin' && !hasOtherAdmin) throw new PorticoError('last_admin');
};

const changeOf = ({ profile, key }: ProfileState, next: Profile, now: number) => ({
  profile: { ...next, updatedAt: nextChangeAt(profile.updatedAt, now) },
  key,
});
