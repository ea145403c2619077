import { noticeDays } from '../../grants/expiry.ts';
import { statusAt } from '../../calls/call-machine.ts';
import type { WaitingCalls } from '../../calls/pending-call.ts';
import type { CallId, JobId, RequestId } from '../../ids.ts';
import { dayMs } from '../../instant.ts';
import { type Job, type JobKind, jobKinds, type NoticeTask } from '../../jobs/job.ts';
import { retryDelayMs } from '../../jobs/retry-policy.ts';
import { toShortLine } from '../../line.ts';
import { DeliveryError, type Letterhead, type Mail } from '../../mails/mail.ts';
import { composeExpiriesNotice, noticeRestMs, composePendingNotice } from '../../mails/mails-to-admins.ts';
import {
  composeCallDecidedMail,
  composeCredentialsMail,
  composeExpiryMail,
  composeRequestDecidedMail,
  composeRejectionMail,
  composeResumptionMail,
  composeRotationMail,
  composeSuspensionMail,
} from '../../mails/mails-to-clients.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import type { ListedRequest, PendingRequest, PendingRequests } from '../../requests/access-request.ts';
import { TextRejectedError } from '../../search/embedding.ts';
import type { Settings } from '../../settings.ts';
import { canDecideAsOwner, findNoticeRecipients, type NoticeSettings, openCredentials } from '../mails/mail-jobs.ts';
import { indexOperations } from '../operations/index-operations.ts';
import { offerBatchSize } from '../outbox/offer-jobs.ts';
import { embedCollection } from '../search/embed-collection.ts';
import type { WithDeliveryCounter } from '../webhooks/delivery-counter.ts';
import { deliverEvent } from '../webhooks/deliver-event.ts';
import { createLease, JobInterruptedError, leaseMs } from './job-lease.ts';

/** The maximum number of pending profiles in a notice. */
const noticeNamesMax = 20;

/** The maximum number of expiries in an email. */
const expiriesMax = 50;

/** The maximum length of a stored error message, in UTF-16 units. */
const errorLengthMax = 1_000;

/**
 * `not due`: could not be leased, and may already be done. `interrupted`: the process is stopping, or another worker
 * has leased the job. `givenUp`: now a dead letter. `error`: at most 1,000 UTF-16 units.
 */
export type JobOutcome =
  'done' | 'not due' | 'interrupted' | { readonly failed: JobKind; readonly error: string; readonly givenUp: boolean };

type RequiredPorts = Pick<
  Ports,
  | 'outbox'
  | 'clock'
  | 'random'
  | 'callers'
  | 'keys'
  | 'profiles'
  | 'expiries'
  | 'requests'
  | 'calls'
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
  | 'webhooks'
  | 'webhookEgress'
  | 'signer'
> &
  WithDeliveryCounter;

type MailSettings = NoticeSettings & Pick<Settings, 'publicUrl'>;

/**
 * Runs one outbox job, at least once. Its lease excludes other workers, and a long job extends it at each checkpoint;
 * if slow calls outlast the lease, a second worker may also run the job. Jobs can be repeated safely: an email keeps its
 * `Message-ID`, and an embedding of the current text replaces an earlier embedding of that text. At the first checkpoint
 * after `isStopping` returns true, the job is interrupted: it is due again immediately, and the interruption does not
 * count as a failure.
 */
export const workJob =
  (ports: RequiredPorts, settings: MailSettings) =>
  async (id: JobId, isStopping: () => boolean = () => false): Promise<JobOutcome> => {
    const now = ports.clock.now();
    const job = await ports.outbox.claim(id, now, now + leaseMs);
    if (!job) return 'not due';
    const lease = createLease(ports, id, now + leaseMs, isStopping);
    let wasMailSent: boolean;
    try {
      wasMailSent = await runTask(ports, settings, job, lease.checkpoint);
    } catch (error) {
      if (error instanceof JobInterruptedError) {
        await lease.release();
        return 'interrupted';
      }
      return recordFailure(ports, job, error);
    }
    await finishJob(ports, job, wasMailSent);
    return 'done';
  };

/** Runs a task; returns whether an email was sent. */
const runTask = async (
  ports: RequiredPorts,
  settings: MailSettings,
  { id, task, attempts }: Job,
  checkpoint: Checkpoint,
): Promise<boolean> => {
  const head = { id, serviceUrl: settings.publicUrl };
  switch (task.kind) {
    case 'mail.credentials':
      return sendCredentials(ports, head, task, composeCredentialsMail);
    case 'mail.rotation':
      return sendCredentials(ports, head, task, composeRotationMail);
    case 'mail.rejection':
      return sendMailTo(ports, task.profileId, (profile) =>
        profile.status === 'rejected' ? composeRejectionMail(head, profile, task.reason) : null,
      );
    case 'mail.suspension':
      return sendMailTo(ports, task.profileId, (profile) =>
        isSuspended(profile) ? composeSuspensionMail(head, profile, task.reason) : null,
      );
    case 'mail.resumption':
      return sendMailTo(ports, task.profileId, (profile) =>
        isSuspended(profile) ? null : composeResumptionMail(head, profile),
      );
    case 'mail.request':
      return sendDecision(ports, head, task);
    case 'mail.call':
      return sendCallDecision(ports, head, task);
    case 'mail.expiry':
      return sendExpiry(ports, head, task.profileId);
    case 'mail.expiries':
      return sendExpiries(ports, settings, head, task.profileId);
    case 'mail.notice':
      return sendNotice(ports, settings, head, task);
    case 'webhook':
      await deliverEvent(ports, { id, task, attempts });
      return false;
    case 'embed':
      await embedCollection(ports, task.collectionId);
      return false;
    case 'operations':
      await indexOperations(ports, task.collectionId, checkpoint);
      return false;
  }
};

/**
 * Removes a finished job, but puts a notice to rest: the next email covers registrations made after this one was sent,
 * or while it was being sent.
 */
const finishJob = (
  { outbox, clock, random }: RequiredPorts,
  { id, task }: Job,
  wasMailSent: boolean,
): Promise<void> => {
  if (task.kind !== 'mail.notice') return outbox.complete(id);
  const dueAt = clock.now() + (wasMailSent ? noticeRestMs : 0);
  return outbox.restNotice({ id, task }, { id: random.uuid() as JobId, dueAt });
};

type Recipient = NonNullable<Awaited<ReturnType<Ports['profiles']['find']>>>;

/**
 * Sends an email to a profile; sends nothing if the profile has been deleted, or if `compose` returns null because the email
 * is out of date.
 */
const sendMailTo = async (
  { profiles, mailer }: RequiredPorts,
  profileId: Recipient['id'],
  compose: (profile: Recipient) => Mail | null,
): Promise<boolean> => {
  const profile = await profiles.find(profileId);
  const mail = profile && compose(profile);
  if (mail) await mailer.send(mail);
  return mail !== null;
};

/**
 * Emails credentials, but never a secret that was replaced in the meantime: the email with its successor may already have
 * arrived.
 */
const sendCredentials = async <Mailed extends Credentials>(
  ports: RequiredPorts,
  head: Letterhead,
  { profileId, sealed }: { readonly profileId: Recipient['id']; readonly sealed: string },
  compose: (head: Letterhead, profile: Recipient, credentials: Mailed) => Mail,
): Promise<boolean> => {
  const credentials = openCredentials<Mailed>(ports.cipher, head.id, sealed);
  const row = await ports.callers.findByClientId(credentials.clientId, null, ports.clock.now());
  if (row?.key?.current.tag !== ports.keys.tag(credentials.secret)) return false;
  return sendMailTo(ports, profileId, (profile) => compose(head, profile, credentials));
};

/**
 * Emails the profiles, requests and calls that are pending now. Sends nothing if there are none left, or if the recipient no
 * longer receives notices.
 */
const sendNotice = async (
  ports: RequiredPorts,
  settings: NoticeSettings,
  head: Letterhead,
  { profileId }: NoticeTask,
): Promise<boolean> => {
  const recipient = await ports.profiles.find(profileId);
  if (recipient && recipient.role !== 'admin') return sendOwnerNotice(ports, settings, head, recipient);
  const profiles = await ports.profiles.readPending(noticeNamesMax);
  const requests = await readPendingRequests(ports);
  const calls = await readWaitingCalls(ports);
  const admin = (await findNoticeRecipients(ports, settings)).find((candidate) => candidate.id === profileId);
  if (profiles.total + requests.total + calls.total === 0 || !admin) return false;
  await ports.mailer.send(composePendingNotice(head, admin, profiles, requests, calls));
  return true;
};

/**
 * Emails an owner the pending requests for its collections, except its own; sends nothing if there are none, or if the
 * recipient does not receive notices.
 */
const sendOwnerNotice = async (
  ports: RequiredPorts,
  settings: NoticeSettings,
  head: Letterhead,
  owner: Recipient,
): Promise<boolean> => {
  if (!canDecideAsOwner(settings, owner)) return false;
  const ownedBy = { profileId: owner.id, own: 'excluded' } as const;
  const filter = { status: 'pending', profileId: null, collectionId: null, ownedBy } as const;
  const page = { limit: ownedRequestsMax, order: 'newest first', after: null } as const;
  const requests = (await ports.requests.list(filter, page)).map(toPendingRequest);
  if (requests.length === 0) return false;
  const shownRequests = { total: requests.length, newest: requests.slice(0, noticeNamesMax) };
  const mail = composePendingNotice(head, owner, { total: 0, newest: [] }, shownRequests, { total: 0, newest: [] });
  await ports.mailer.send(mail);
  return true;
};

/** The maximum number of an owner's pending requests that are counted. */
const ownedRequestsMax = 1_000;

const toPendingRequest = ({ collectionName: collection, ...request }: ListedRequest): PendingRequest => ({
  ...request,
  collection,
});

/** Emails a decision; sends nothing about a request that no longer exists, is pending again, or was withdrawn. */
const sendDecision = async (
  ports: RequiredPorts,
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
  const expiries = (await ports.accessMatrix.listRows(filter, null, grantsMax)).map(({ grant }) => grant.expiresAt);
  const expiresAt = expiries.reduce<number | null>(
    (latest, expiry) => (expiry === null ? latest : Math.max(latest ?? 0, expiry)),
    null,
  );
  const decidedRequest = { collection, status, answer, expiresAt: expiries.includes(null) ? null : expiresAt };
  return sendMailTo(ports, profileId, (profile) => composeRequestDecidedMail(head, profile, decidedRequest));
};

/** The maximum number of ways of access that are read to find the latest expiry of a client's access. */
const grantsMax = 100;

const readPendingRequests = async ({ requests }: RequiredPorts): Promise<PendingRequests> => {
  const filter = { status: 'pending', profileId: null, collectionId: null } as const;
  const newestRequests = await requests.list(filter, { limit: noticeNamesMax, order: 'newest first', after: null });
  const total = await requests.countPending();
  return {
    total,
    newest: newestRequests.map(toPendingRequest),
  };
};

const readWaitingCalls = async ({ calls, clock }: RequiredPorts): Promise<WaitingCalls> => {
  const now = clock.now();
  const filter = { status: 'waiting', profileId: null, collectionId: null } as const;
  const newest = await calls.list(filter, now, { limit: noticeNamesMax, order: 'newest first', after: null });
  return { total: await calls.countWaiting(now), newest };
};

/** Emails a decision about a call; sends nothing if the call no longer exists, or an approval is no longer of use. */
const sendCallDecision = async (
  ports: RequiredPorts,
  head: Letterhead,
  { profileId, callId }: { readonly profileId: Recipient['id']; readonly callId: CallId },
): Promise<boolean> => {
  const call = await ports.calls.find(callId);
  if (!call) return false;
  const status = statusAt(call, ports.clock.now());
  if (status !== 'approved' && status !== 'denied') return false;
  const { id, method, path, reason, expiresAt, collectionName: collection } = call;
  const decidedCall = { id, method, path, reason, expiresAt, collection, status };
  return sendMailTo(ports, profileId, (profile) => composeCallDecidedMail(head, profile, decidedCall));
};

/** Returns the period of upcoming expiries: the longest notice period, from now on. */
const getNoticePeriod = ({ clock }: RequiredPorts) => {
  const after = clock.now();
  return { after, until: after + Math.max(...noticeDays) * dayMs };
};

/** Emails a client's upcoming expiries; sends nothing if nothing expires anymore. */
const sendExpiry = async (ports: RequiredPorts, head: Letterhead, profileId: Recipient['id']): Promise<boolean> => {
  const { total, expiries } = await ports.expiries.listByProfile(profileId, getNoticePeriod(ports), expiriesMax);
  return total > 0 && sendMailTo(ports, profileId, (profile) => composeExpiryMail(head, profile, expiries, total));
};

/** Emails an admin the upcoming expiries of all clients, if the recipient still receives notices. */
const sendExpiries = async (
  ports: RequiredPorts,
  settings: NoticeSettings,
  head: Letterhead,
  profileId: Recipient['id'],
): Promise<boolean> => {
  const { total, expiries } = await ports.expiries.listAll(getNoticePeriod(ports), expiriesMax);
  const admin = (await findNoticeRecipients(ports, settings)).find((candidate) => candidate.id === profileId);
  if (total === 0 || !admin) return false;
  await ports.mailer.send(composeExpiriesNotice(head, admin, expiries, total));
  return true;
};

const recordFailure = async (
  { outbox, clock }: RequiredPorts,
  { id, task, attempts }: Job,
  error: unknown,
): Promise<JobOutcome> => {
  // A remote server may have put anything into its message.
  const message = toShortLine(error instanceof Error ? error.message : String(error), errorLengthMax);
  const now = clock.now();
  const delay = isPermanent(error) ? null : retryDelayMs(task.kind, attempts + 1);
  if (delay === null) await outbox.deadLetter(id, now, message);
  else await outbox.retry(id, now + delay, message);
  return { failed: task.kind, error: message, givenUp: delay === null };
};

/** Whether a retry would not help. */
const isPermanent = (error: unknown): boolean =>
  error instanceof TextRejectedError || (error instanceof DeliveryError && error.permanent);

/**
 * Offers due jobs to the queue; returns their number. Every process that runs jobs relays them, so that no process
 * depends on another one: a job that several processes offer is claimed once.
 */
export const relayJobs =
  ({ outbox, queue, clock }: Pick<Ports, 'outbox' | 'queue' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const offerDue = async (kind: JobKind): Promise<number> => {
      const dueIds = await outbox.listDue(kind, now, offerBatchSize);
      queue.offer(kind, dueIds);
      return dueIds.length;
    };
    const counts = await Promise.all(jobKinds.map(offerDue));
    return counts.reduce((sum, count) => sum + count, 0);
  };

/**
 * Returns the number of waiting jobs, the number of dead letters, and how long the oldest due job has been due (0 if
 * none is due).
 */
export const readOutboxState =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueSeconds: number }> => {
    const now = clock.now();
    const { waiting, deadLetters, oldestDueAt } = await outbox.readState(now);
    return {
      waiting,
      deadLetters,
      oldestDueSeconds: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
    };
  };
