import type { PersonAuthority } from '../../access/principal.ts';
import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile } from '../../profiles/profile.ts';
import { getNextStatus } from '../../profiles/registration-machine.ts';
import { profileFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { createRejectionMailJob } from '../mails/mail-jobs.ts';

/** Reverts a rejection: the registration is pending again, with its previous grants. */
export const reopenRegistration =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles'>) =>
  (authority: PersonAuthority, id: ProfileId): Promise<Profile> => {
    const now = ports.clock.now();
    return ports.profiles.update(id, ({ profile, key }) => ({
      profile: removeApproval(profile, getNextStatus(profile.status, 'reopen'), now),
      key,
      ...createAuditEffects(ports, authority, { action: 'profile.reopen', ...profileFieldsOf(profile) }),
    }));
  };

/** Rejects a pending profile; if mail is enabled, emails a notice, with the reason if there is one. */
export const rejectProfile =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles' | 'mailer'>) =>
  async (authority: PersonAuthority, id: ProfileId, reason: string | null): Promise<void> => {
    const jobs = ports.mailer.enabled ? [createRejectionMailJob(ports, id, reason)] : [];
    const now = ports.clock.now();
    await ports.profiles.update(id, ({ profile, key }) => ({
      profile: removeApproval(profile, getNextStatus(profile.status, 'reject'), now),
      key,
      ...createAuditEffects(ports, authority, { action: 'profile.reject', ...profileFieldsOf(profile) }),
      jobs,
    }));
  };

const removeApproval = (profile: Profile, status: 'pending' | 'rejected', now: number): Profile => ({
  ...profile,
  role: 'client',
  status,
  clientId: null,
  approvedAt: null,
  updatedAt: nextChangeAt(profile.updatedAt, now),
});
