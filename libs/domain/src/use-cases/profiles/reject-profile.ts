import type { PersonAuthority } from '../../access/principal.ts';
import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile } from '../../profiles/profile.ts';
import { nextStatus } from '../../profiles/registration-machine.ts';
import { ofProfile, auditEffects } from '../audit/system-entry.ts';
import { rejectionMailJob } from '../mails/mail-jobs.ts';

/** Reverts a rejection: the registration is pending again, with its previous grants. */
export const reopenRegistration =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles'>) =>
  (authority: PersonAuthority, id: ProfileId): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, ({ profile, key }) => ({
      profile: withoutApproval(profile, nextStatus(profile.status, 'reopen'), now),
      key,
      ...auditEffects(ports, authority, { action: 'profile.reopen', ...ofProfile(profile) }),
    }));
  };

/** Rejects a pending profile; if mail is enabled, mails a notice, with the reason if there is one. */
export const rejectProfile =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles' | 'mailer'>) =>
  async (authority: PersonAuthority, id: ProfileId, reason: string | null): Promise<void> => {
    const jobs = ports.mailer.enabled ? [rejectionMailJob(ports, id, reason)] : [];
    const now = ports.clock.now();
    await ports.profiles.update(id, ({ profile, key }) => ({
      profile: withoutApproval(profile, nextStatus(profile.status, 'reject'), now),
      key,
      ...auditEffects(ports, authority, { action: 'profile.reject', ...ofProfile(profile) }),
      jobs,
    }));
  };

const withoutApproval = (profile: Profile, status: 'pending' | 'rejected', now: number): Profile => ({
  ...profile,
  role: 'client',
  status,
  clientId: null,
  approvedAt: null,
  updatedAt: nextChangeAt(profile.updatedAt, now),
});
