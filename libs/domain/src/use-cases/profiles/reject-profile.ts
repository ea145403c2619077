import type { PersonAuthority } from '../../access/principal.ts';
import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { nextStatus } from '../../profiles/registration-machine.ts';
import { ofProfile, recorded } from '../audit/system-entry.ts';
import { rejectionMailJob } from '../mails/mail-jobs.ts';

/** Rejects a pending profile; the notice, with the reason if there is one, is mailed if mail is enabled. */
export const rejectProfile =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles' | 'mailer'>) =>
  async (authority: PersonAuthority, id: ProfileId, reason: string | null): Promise<void> => {
    const jobs = ports.mailer.enabled ? [rejectionMailJob(ports, id, reason)] : [];
    const now = ports.clock.now();
    await ports.profiles.update(id, ({ profile, key }) => ({
      profile: {
        ...profile,
        role: 'client',
        status: nextStatus(profile.status, 'reject'),
        clientId: null,
        approvedAt: null,
        updatedAt: nextChangeAt(profile.updatedAt, now),
      },
      key,
      ...recorded(ports, authority, { action: 'profile.reject', ...ofProfile(profile) }),
      jobs,
    }));
  };
