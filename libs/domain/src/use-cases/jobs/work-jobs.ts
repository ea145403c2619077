import { noticeDays } from '../../grants/expiry.ts';
import type { JobId, RequestId } from '../../ids.ts';
import { dayMs } from '../../instant.ts';
import { type Job, type JobKind, jobKinds, type NoticeTask } from '../../jobs/job.ts';
import { retryDelayMs } from '../../jobs/retry-policy.ts';
import { shortLine } from '../../line.ts';
import { DeliveryError, type Letterhead, type Mail } from '../../mails/mail.ts';
import { expiriesNotice, noticeRestMs, pendingNotice } from '../../mails/mails-to-admins.ts';
import {
  credentialsMail,
  expiryMail,
  requestDecidedMail,
  rejectionMail,
  resumptionMail,
  rotationMail,
  suspensionMail,
} from '../../mails/mails-to-clients.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import type { PendingRequests } from '../../requests/access-request.ts';
import { TextRefusedError } from '../../search/embedding.ts';
import type { Settings } from '../../settings.ts';
import { noticeRecipients, type NoticeSettings, openCredentials } from '../mails/mail-jobs.ts';
import { indexOperations } from '../operations/index-operations.ts';
import { offerBatchSize } from '../outbox/offer-jobs.ts';
import { embedCollection } from '../search/embed-collection.ts';
import { createLease, JobInterrupted, leaseMs } from './job-lease.ts';

/** The maximum number of pending profiles in a notice. */
const noticeNamesMax = 20;

/** The maximum number of expiries in a mail. */
const expiriesMax = 50;

/** The maximum length of a stored error message, in UTF-16 units. */
const errorLengthMax = 1_000;

/**
 * `not due`: could not be leased, and may already be done. `interrupted`: the process is stopping, or another worker
 * has leased the job. `givenUp`: now a dead letter. `error`: at most 1,000 UTF-16 units.
 */
export type JobOutcome =
  'done' | 'not due' | 'interrupted' | { readonly failed: JobKind; readonly error: string; readonly givenUp: boolean };

type Needs = Pick<
  Ports,
  | 'outbox'
  | 'clock'
  | 'random'
  | 'callers'
  | 'keys'
  | 'profiles'
  | 'expiries'
  | 'requests'
  | 'accessMatrix'
  | 'mailer'
  | 'cipher'
  | 'collections'
  | 'embeddings'
  | 'models'
  | 'embedder'
  | 'earlierEmbedders'
  | 'vectors'
  | 'operations'
  | 'operationBlocks'
  | 'operationEmbedder'
  | 'documents'
>;

type MailSettings = NoticeSettings & Pick<Settings, 'publicUrl'>;

/**
 * Runs one outbox job, at least once. Its lease excludes other workers, and a long job extends it at each checkpoint;
 * if slow calls outlast the lease, a second worker may also run the job. Jobs can be repeated safely: a mail keeps its
 * `Message-ID`, and an embedding of the current text replaces an earlier one of the same text. At the first checkpoint
 * after `isStopping` returns true, the job is interrupted: it is due again immediately, and the interruption does not
 * count as a failure.
 */
export const workJob =
  (ports: Needs, settings: MailSettings) =>
  async (id: JobId, isStopping: () => boolean = () => false): Promise<JobOutcome> => {
    const now = ports.clock.now();
    const job = await ports.outbox.claim(id, now, now + leaseMs);
    if (!job) return 'not due';
    const lease = createLease(ports, id, now + leaseMs, isStopping);
    let isMailed: boolean;
    try {
      isMailed = await runTask(ports, settings, job, lease.checkpoint);
    } catch (error) {
      if (error instanceof JobInterrupted) {
        await lease.release();
        return 'interrupted';
      }
      return recordFailure(ports, job, error);
    }
    await finishJob(ports, job, isMailed);
    return 'done';
  };

/** Runs a task; returns whether a mail was sent. */
const runTask = async (
  ports: Needs,
  settings: MailSettings,
  { id, task }: Job,
  checkpoint: Checkpoint,
): Promise<boolean> => {
  const head = { id, address: settings.publicUrl };
  switch (task.kind) {
    case 'mail.credentials':
      return sendCurrent(ports, head, task, credentialsMail);
    case 'mail.rotation':
      return sendCurrent(ports, head, task, rotationMail);
    case 'mail.rejection':
      return mailTo(ports, task.profileId, (profile) =>
        profile.status === 'rejected' ? rejectionMail(head, profile, task.reason) : null,
      );
    case 'mail.suspension':
      return mailTo(ports, task.profileId, (profile) =>
        isSuspended(profile) ? suspensionMail(head, profile, task.reason) : null,
      );
    case 'mail.resumption':
      return mailTo(ports, task.profileId, (profile) => (isSuspended(profile) ? null : resumptionMail(head, profile)));
    case 'mail.request':
      return sendDecision(ports, head, task);
    case 'mail.expiry':
      return sendExpiry(ports, head, task.profileId);
    case 'mail.expiries':
      return sendExpiries(ports, settings, head, task.profileId);
    case 'mail.notice':
      return sendNotice(ports, settings, head, task);
    case 'embed':
      await embedCollection(ports, task.collectionId);
      return false;
    case 'operations':
      await indexOperations(ports, task.collectionId, checkpoint);
      return false;
  }
};

/**
 * Removes a finished job, but puts a notice to rest: the next mail covers registrations made after this one was sent,
 * or while it was being sent.
 */
const finishJob = ({ outbox, clock, random }: Needs, { id, task }: Job, isMailed: boolean): Promise<void> => {
  if (task.kind !== 'mail.notice') return outbox.done(id);
  const dueAt = clock.now() + (isMailed ? noticeRestMs : 0);
  return outbox.rest({ id, task }, { id: random.uuid() as JobId, dueAt });
};

type Recipient = NonNullable<Awaited<ReturnType<Ports['profiles']['find']>>>;

/**
 * Sends a mail to a profile; sends nothing if the profile has been deleted, or if `write` returns null because the mail
 * is out of date.
 */
const mailTo = async (
  { profiles, mailer }: Needs,
  profileId: Recipient['id'],
  write: (profile: Recipient) => Mail | null,
): Promise<boolean> => {
  const profile = await profiles.find(profileId);
  const mail = profile && write(profile);
  if (mail) await mailer.send(mail);
  return mail !== null;
};

/**
 * Mails credentials, but never a secret that was replaced in the meantime: the mail with its successor may already have
 * arrived.
 */
const sendCurrent = async <Mailed extends Credentials>(
  ports: Needs,
  head: Letterhead,
  { profileId, sealed }: { readonly profileId: Recipient['id']; readonly sealed: string },
  write: (head: Letterhead, profile: Recipient, credentials: Mailed) => Mail,
): Promise<boolean> => {
  const credentials = openCredentials<Mailed>(ports.cipher, head.id, sealed);
  const row = await ports.callers.byClientId(credentials.clientId, null, ports.clock.now());
  if (row?.key?.current.tag !== ports.keys.tag(credentials.secret)) return false;
  return mailTo(ports, profileId, (profile) => write(head, profile, credentials));
};

/**
 * Mails the profiles and requests that are pending now. Sends nothing if there are none left, or if the recipient no
 * longer receives notices.
 */
const sendNotice = async (
  ports: Needs,
  settings: NoticeSettings,
  head: Letterhead,
  { profileId }: NoticeTask,
): Promise<boolean> => {
  const profiles = await ports.profiles.pending(noticeNamesMax);
  const requests = await pendingRequests(ports);
  const admin = (await noticeRecipients(ports, settings)).find((candidate) => candidate.id === profileId);
  if (profiles.total + requests.total === 0 || !admin) return false;
  await ports.mailer.send(pendingNotice(head, admin, profiles, requests));
  return true;
};

/** Mails a decision; sends nothing about a request that no longer exists, is pending again, or was withdrawn. */
const sendDecision = async (
  ports: Needs,
  head: Letterhead,
  { profileId, requestId }: { readonly profileId: Recipient['id']; readonly requestId: RequestId },
): Promise<boolean> => {
  const request = await ports.requests.find(requestId);
  if (!request || request.status === 'pending' || request.status === 'withdrawn') return false;
  const { status, answer, collectionId, collectionName: collection } = request;
  const filter = {
    profile: { by: 'id', id: profileId },
    collection: { by: 'id', id: collectionId },
    group: null,
    expiringBefore: null,
    liveAt: ports.clock.now(),
  } as const;
  const expiries = (await ports.accessMatrix.rows(filter, null, waysMax)).map(({ way }) => way.expiresAt);
  const expiresAt = expiries.reduce<number | null>(
    (last, expiry) => (expiry === null ? last : Math.max(last ?? 0, expiry)),
    null,
  );
  const facts = { collection, status, answer, expiresAt: expiries.includes(null) ? null : expiresAt };
  return mailTo(ports, profileId, (profile) => requestDecidedMail(head, profile, facts));
};

/** The maximum number of ways of access that are read to find the latest expiry of a client's access. */
const waysMax = 100;

const pendingRequests = async ({ requests }: Needs): Promise<PendingRequests> => {
  const filter = { status: 'pending', profileId: null, collectionId: null } as const;
  const newest = await requests.list(filter, { limit: noticeNamesMax, order: 'newest first', after: null });
  const total = await requests.countPending();
  return { total, newest: newest.map(({ collectionName: collection, ...request }) => ({ ...request, collection })) };
};

/** Returns the period of upcoming expiries: the longest notice period, from now on. */
const noticePeriod = ({ clock }: Needs) => {
  const after = clock.now();
  return { after, until: after + Math.max(...noticeDays) * dayMs };
};

/** Mails a client's upcoming expiries; sends nothing if nothing expires anymore. */
const sendExpiry = async (ports: Needs, head: Letterhead, profileId: Recipient['id']): Promise<boolean> => {
  const { total, first } = await ports.expiries.ofProfile(profileId, noticePeriod(ports), expiriesMax);
  return total > 0 && mailTo(ports, profileId, (profile) => expiryMail(head, profile, first, total));
};

/** Does the same for an admin, if the recipient still receives notices. */
const sendExpiries = async (
  ports: Needs,
  settings: NoticeSettings,
  head: Letterhead,
  profileId: Recipient['id'],
): Promise<boolean> => {
  const { total, first } = await ports.expiries.ofAll(noticePeriod(ports), expiriesMax);
  const admin = (await noticeRecipients(ports, settings)).find((candidate) => candidate.id === profileId);
  if (total === 0 || !admin) return false;
  await ports.mailer.send(expiriesNotice(head, admin, first, total));
  return true;
};

const recordFailure = async (
  { outbox, clock }: Needs,
  { id, task, attempts }: Job,
  error: unknown,
): Promise<JobOutcome> => {
  // A remote server may have put anything into its message.
  const message = shortLine(error instanceof Error ? error.message : String(error), errorLengthMax);
  const now = clock.now();
  const delay = isPermanent(error) ? null : retryDelayMs(task.kind, attempts + 1);
  if (delay === null) await outbox.deadLetter(id, now, message);
  else await outbox.retry(id, now + delay, message);
  return { failed: task.kind, error: message, givenUp: delay === null };
};

/** Whether a retry would not help. */
const isPermanent = (error: unknown): boolean =>
  error instanceof TextRefusedError || (error instanceof DeliveryError && error.permanent);

/**
 * Offers due jobs to the queue; returns their number. Every process that runs jobs relays them, so that no process
 * depends on another one: a job that several processes offer is claimed once.
 */
export const relayJobs =
  ({ outbox, queue, clock }: Pick<Ports, 'outbox' | 'queue' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const offerDue = async (kind: JobKind): Promise<number> => {
      const due = await outbox.due(kind, now, offerBatchSize);
      queue.offer(kind, due);
      return due.length;
    };
    const offered = await Promise.all(jobKinds.map(offerDue));
    return offered.reduce((sum, count) => sum + count, 0);
  };

/**
 * Returns the number of waiting jobs, the number of dead letters, and how long the oldest due job has been due (0 if
 * none is due).
 */
export const readOutboxState =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueSeconds: number }> => {
    const now = clock.now();
    const { waiting, deadLetters, oldestDueAt } = await outbox.state(now);
    return {
      waiting,
      deadLetters,
      oldestDueSeconds: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
    };
  };
