import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ClientId, ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { JobKind, NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import { nextStatus } from '../../profiles/registration-machine.ts';
import { ofProfile, recorded } from '../audit/system-entry.ts';
import { credentialsMailJob, rejectionMailJob } from '../mails/mail-jobs.ts';
import { newSecret } from './credentials.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'profiles' | 'keys' | 'cipher' | 'mailer' | 'queue'>;

/**
 * Approves a pending profile and issues its API credentials, which are returned only this once and mailed if mail is
 * enabled. Of concurrent approvals, one succeeds, with one key pair.
 */
export const approveProfile =
  (ports: Needs) =>
  async (authority: AdminAuthority, id: ProfileId): Promise<Credentials> => {
    await refuseEarly(ports, id);
    const clientId = ports.random.uuid() as ClientId;
    const { secret, stored } = await newSecret(ports, authority.deadline);
    const credentials = { clientId, secret };
    const jobs = ports.mailer.enabled ? [credentialsMailJob(ports, id, credentials)] : [];
    const now = ports.clock.now();
    await ports.profiles.update(id, ({ profile }) => ({
      profile: {
        ...profile,
        status: nextStatus(profile.status, 'approve'),
        clientId,
        approvedAt: now,
        updatedAt: nextChangeAt(profile.updatedAt, now),
      },
      key: { current: stored, previous: null },
      ...recorded(ports, authority, { action: 'profile.approve', ...ofProfile(profile), client_id: clientId }),
      jobs,
    }));
    offer(ports, 'mail.credentials', jobs);
    return credentials;
  };

/** Rejects a pending profile; the notice, with the reason if there is one, is mailed if mail is enabled. */
export const rejectProfile =
  (ports: Needs) =>
  async (authority: AdminAuthority, id: ProfileId, reason: string | null): Promise<void> => {
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
    offer(ports, 'mail.rejection', jobs);
  };

/** Refuses early, before a hash is computed in vain; the decision itself is made in the transaction. */
const refuseEarly = async ({ profiles }: Pick<Ports, 'profiles'>, id: ProfileId): Promise<void> => {
  const profile = await profiles.find(id);
  if (!profile) throw new PorticoError('user_not_found');
  nextStatus(profile.status, 'approve');
};

const offer = ({ queue }: Needs, kind: JobKind, jobs: readonly NewJob[]): void =>
  queue.offer(
    kind,
    Array.from(jobs, ({ id }) => id),
  );
