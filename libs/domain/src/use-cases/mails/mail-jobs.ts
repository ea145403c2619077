import type { PendingCall } from '../../calls/pending-call.ts';
import type { CollectionId, JobId, ProfileId } from '../../ids.ts';
import type { JobTask, NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import type { Credentials, RotatedCredentials } from '../../profiles/api-key.ts';
import { canSignIn } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import type { Settings } from '../../settings.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'cipher'>;

/** The settings that decide which admins receive notices. */
export type NoticeSettings = Pick<Settings, 'adminNotices' | 'issuers'>;

/** Creates a job that emails the credentials, which are stored sealed, for this job only. */
export const createCredentialsMailJob = (
  ports: RequiredPorts,
  profileId: ProfileId,
  credentials: Credentials,
): NewJob => {
  const id = ports.random.uuid() as JobId;
  return createJob(ports, id, { kind: 'mail.credentials', profileId, sealed: sealCredentials(ports, id, credentials) });
};

/** Creates a job that emails a secret that replaced an earlier one. */
export const createRotationMailJob = (
  ports: RequiredPorts,
  profileId: ProfileId,
  credentials: RotatedCredentials,
): NewJob => {
  const id = ports.random.uuid() as JobId;
  return createJob(ports, id, { kind: 'mail.rotation', profileId, sealed: sealCredentials(ports, id, credentials) });
};

/** Creates a job that emails the rejection. The reason is stored unsealed; null if none was given. */
export const createRejectionMailJob = (
  ports: Omit<RequiredPorts, 'cipher'>,
  profileId: ProfileId,
  reason: string | null,
): NewJob => createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.rejection', profileId, reason });

export const createSuspensionMailJob = (
  ports: Omit<RequiredPorts, 'cipher'>,
  profileId: ProfileId,
  reason: string | null,
): NewJob => createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.suspension', profileId, reason });

export const createResumptionMailJob = (ports: Omit<RequiredPorts, 'cipher'>, profileId: ProfileId): NewJob =>
  createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.resumption', profileId });

/** Creates jobs that notify the requesters of the decisions about these requests; none if mail is not sent. */
export const createDecisionMailJobs = (
  ports: Omit<RequiredPorts, 'cipher'> & Pick<Ports, 'mailer'>,
  requests: readonly AccessRequest[],
): readonly NewJob[] =>
  ports.mailer.enabled
    ? requests.map(({ id, profileId }) =>
        createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.request', profileId, requestId: id }),
      )
    : [];

/** Creates the job that notifies the caller of the decision about a call; none if mail is not sent. */
export const createCallMailJobs = (
  ports: Omit<RequiredPorts, 'cipher'> & Pick<Ports, 'mailer'>,
  { id: callId, profileId }: PendingCall,
): readonly NewJob[] =>
  ports.mailer.enabled
    ? [createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.call', profileId, callId })]
    : [];

/** Creates jobs that notify these clients and these admins of upcoming expiries. */
export const createExpiryMailJobs = (
  ports: Omit<RequiredPorts, 'cipher'>,
  clients: readonly ProfileId[],
  admins: readonly Pick<Profile, 'id'>[],
): readonly NewJob[] => [
  ...clients.map((profileId) => createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.expiry', profileId })),
  ...admins.map(({ id }) => createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.expiries', profileId: id })),
];

/**
 * Returns the admins who receive notices of pending decisions and expiries: those who can sign in; none if notices are
 * off.
 */
export const findNoticeRecipients = async (
  { profiles }: Pick<Ports, 'profiles'>,
  settings: NoticeSettings,
): Promise<readonly Profile[]> =>
  settings.adminNotices
    ? (await profiles.listAdmins()).filter((admin) => admin.status === 'approved' && canSignIn(settings, admin))
    : [];

/** Creates jobs that notify each admin who receives notices of pending decisions; none if mail is not sent. */
export const createNoticeJobs = async (
  ports: Omit<RequiredPorts, 'cipher'> & Pick<Ports, 'profiles' | 'mailer'>,
  settings: NoticeSettings,
): Promise<readonly NewJob[]> =>
  ports.mailer.enabled ? (await findNoticeRecipients(ports, settings)).map(({ id }) => createNoticeJob(ports, id)) : [];

const createNoticeJob = (ports: Omit<RequiredPorts, 'cipher'>, profileId: ProfileId): NewJob =>
  createJob(ports, ports.random.uuid() as JobId, { kind: 'mail.notice', profileId, requestCount: 1 });

/** The maximum number of owners of a collection who are notified of a request. */
export const notifiedOwnersMax = 50;

/** Whether a profile may receive notices as an owner: whether it can sign in and decide. */
export const canDecideAsOwner = (settings: NoticeSettings, profile: Profile): boolean =>
  settings.adminNotices && profile.status === 'approved' && canSignIn(settings, profile);

/**
 * Creates jobs that notify the owners of a collection, except admins and the requester, of a new request for it; at most
 * `notifiedOwnersMax`, by email.
 */
export const createOwnerNoticeJobs = async (
  ports: Omit<RequiredPorts, 'cipher'> & Pick<Ports, 'collections' | 'groups' | 'profiles' | 'mailer'>,
  settings: NoticeSettings,
  { collectionId, requester }: { readonly collectionId: CollectionId; readonly requester: ProfileId },
): Promise<readonly NewJob[]> => {
  const ownerGroup = (ports.mailer.enabled && (await ports.collections.find(collectionId))?.ownerGroup) || null;
  const members = ownerGroup === null ? null : await ports.groups.listMembers(ownerGroup);
  const jobs: NewJob[] = [];
  for (const { profileId } of members ?? []) {
    if (jobs.length === notifiedOwnersMax) break;
    const profile = profileId === requester ? null : await ports.profiles.find(profileId);
    if (profile && profile.role !== 'admin' && canDecideAsOwner(settings, profile))
      jobs.push(createNoticeJob(ports, profileId));
  }
  return jobs;
};

/** Opens sealed credentials; throws if they were sealed for a different job, or with a key that is not configured. */
export const openCredentials = <Sealed extends Credentials = Credentials>(
  cipher: Ports['cipher'],
  jobId: JobId,
  sealed: string,
): Sealed => JSON.parse(cipher.open(sealed, sealingContextOf(jobId))) as Sealed;

/** Returns the sealed part of a job, resealed with the current key; null if it is already sealed with that key. */
export const resealSealedMail = (cipher: Ports['cipher'], jobId: JobId, sealed: string): string | null => {
  if (cipher.isCurrent(sealed)) return null;
  const context = sealingContextOf(jobId);
  return cipher.seal(cipher.open(sealed, context), context);
};

const createJob = ({ clock }: Pick<Ports, 'clock'>, id: JobId, task: JobTask): NewJob => ({
  id,
  task,
  group: null,
  dueAt: clock.now(),
});

const sealCredentials = ({ cipher }: Pick<Ports, 'cipher'>, jobId: JobId, credentials: Credentials): string =>
  cipher.seal(JSON.stringify(credentials), sealingContextOf(jobId));

const sealingContextOf = (jobId: JobId): string => `outbox:${jobId}`;
