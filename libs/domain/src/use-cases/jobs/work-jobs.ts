import { noticeDays } from '../../grants/expiry.ts';
import type { JobId, RequestId } from '../../ids.ts';
import { dayMs } from '../../instant.ts';
import { type Job, type JobKind, jobKinds, type NoticeTask } from '../../jobs/job.ts';
import { retryDelayMs } from '../../jobs/retry-policy.ts';
import { shortLine } from '../../line.ts';
import { DeliveryError, type Letterhead, type Mail } from '../../mails/mail.ts';
import { expiriesNotice, noticeRestMs, waitingNotice } from '../../mails/mails-to-admins.ts';
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
import { noticedAdmins, type NoticeSettings, openCredentials } from '../mails/mail-jobs.ts';
import { indexOperations } from '../operations/index-operations.ts';
import { offeredAtOnce } from '../outbox/offer-jobs.ts';
import { embedCollection } from '../search/embed-collection.ts';
import { createLease, JobInterrupted, leaseMs } from './job-lease.ts';

/** How many waiting profiles a notice names. */
const noticeNamesMax = 20;

/** How many ends a mail names. */
const endsMax = 50;

/** How much of a failure's message is kept, in UTF-16 units. */
const errorLengthMax = 1_000;

/**
 * `not due`: not leased, and perhaps done already. `interrupted`: the process ends, or another worker has it. `givenUp`:
 * now a dead letter. `error`: at most 1,000 UTF-16 units.
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
 * Runs one outbox job, at least once. Its lease keeps other workers away, and a long job extends it at each checkpoint;
 * if slow calls outlast the lease, a second worker may run the job too. Jobs bear repetition: a mail keeps its
 * `Message-ID`, and an embedding of the current text replaces another of the same text. At the first checkpoint after
 * `isEnding` returns true a job is interrupted: it is due again at once, and that counts as no failure.
 */
export const workJob =
  (ports: Needs, settings: MailSettings) =>
  async (id: JobId, isEnding: () => boolean = () => false): Promise<JobOutcome> => {
    const now = ports.clock.now();
    const job = await ports.outbox.claim(id, now, now + leaseMs);
    if (!job) return 'not due';
    const lease = createLease(ports, id, now + leaseMs, isEnding);
    let isMailed: boolean;
    try {
      isMailed = await perform(ports, settings, job, lease.checkpoint);
    } catch (error) {
      if (error instanceof JobInterrupted) {
        await lease.release();
        return 'interrupted';
      }
      return recordFailure(ports, job, error);
    }
    await end(ports, job, isMailed);
    return 'done';
  };

/** Returns whether a mail went out. */
const perform = async (
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
      return sendTo(ports, task.profileId, (profile) =>
        profile.status === 'rejected' ? rejectionMail(head, profile, task.reason) : null,
      );
    case 'mail.suspension':
      return sendTo(ports, task.profileId, (profile) =>
        isSuspended(profile) ? suspensionMail(head, profile, task.reason) : null,
      );
    case 'mail.resumption':
      return sendTo(ports, task.profileId, (profile) => (isSuspended(profile) ? null : resumptionMail(head, profile)));
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

/** A notice that was sent rests: the next one covers registrations made since then, or while it was sent. */
const end = ({ outbox, clock, random }: Needs, { id, task }: Job, isMailed: boolean): Promise<void> => {
  if (task.kind !== 'mail.notice') return outbox.done(id);
  const dueAt = clock.now() + (isMailed ? noticeRestMs : 0);
  return outbox.rest({ id, task }, { id: random.uuid() as JobId, dueAt });
};

type Recipient = NonNullable<Awaited<ReturnType<Ports['profiles']['find']>>>;

/** Sends nothing if the profile is deleted, or if `write` returns null because its news is no longer true. */
const sendTo = async (
  { profiles, mailer }: Needs,
  profileId: Recipient['id'],
  write: (profile: Recipient) => Mail | null,
): Promise<boolean> => {
  const profile = await profiles.find(profileId);
  const mail = profile && write(profile);
  if (mail) await mailer.send(mail);
  return mail !== null;
};

/** Never mails a secret that was replaced meanwhile: its successor's mail may already have arrived. */
const sendCurrent = async <Mailed extends Credentials>(
  ports: Needs,
  head: Letterhead,
  { profileId, sealed }: { readonly profileId: Recipient['id']; readonly sealed: string },
  write: (head: Letterhead, profile: Recipient, credentials: Mailed) => Mail,
): Promise<boolean> => {
  const credentials = openCredentials<Mailed>(ports.cipher, head.id, sealed);
  const row = await ports.callers.byClientId(credentials.clientId, null, ports.clock.now());
  if (row?.key?.current.tag !== ports.keys.tag(credentials.secret)) return false;
  return sendTo(ports, profileId, (profile) => write(head, profile, credentials));
};

/** Lists who waits now. Sends nothing if all are decided, or if the recipient no longer gets notices. */
const sendNotice = async (
  ports: Needs,
  settings: NoticeSettings,
  head: Letterhead,
  { profileId }: NoticeTask,
): Promise<boolean> => {
  const waiting = await ports.profiles.pending(noticeNamesMax);
  const asking = await pendingRequests(ports);
  const admin = (await noticedAdmins(ports, settings)).find((noticed) => noticed.id === profileId);
  if (waiting.total + asking.total === 0 || !admin) return false;
  await ports.mailer.send(waitingNotice(head, admin, waiting, asking));
  return true;
};

/** Nobody is told about a request that is gone, pending again, or withdrawn. */
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
  const ends = (await ports.accessMatrix.rows(filter, null, waysMax)).map(({ way }) => way.expiresAt);
  const expiresAt = ends.reduce<number | null>((last, end) => (end === null ? last : Math.max(last ?? 0, end)), null);
  const facts = { collection, status, answer, expiresAt: ends.includes(null) ? null : expiresAt };
  return sendTo(ports, profileId, (profile) => requestDecidedMail(head, profile, facts));
};

/** By how many ways a mail looks for the last end of an access. */
const waysMax = 100;

const pendingRequests = async ({ requests }: Needs): Promise<PendingRequests> => {
  const filter = { status: 'pending', profileId: null, collectionId: null } as const;
  const newest = await requests.list(filter, { limit: noticeNamesMax, order: 'newest first', after: null });
  const total = await requests.countPending();
  return { total, newest: newest.map(({ collectionName: collection, ...request }) => ({ ...request, collection })) };
};

/** What ends from now on, within the longest time before which anybody is told. */
const soon = ({ clock }: Needs) => {
  const after = clock.now();
  return { after, until: after + Math.max(...noticeDays) * dayMs };
};

/** Sends nothing if nothing ends any more. */
const sendExpiry = async (ports: Needs, head: Letterhead, profileId: Recipient['id']): Promise<boolean> => {
  const { total, first } = await ports.expiries.ofProfile(profileId, soon(ports), endsMax);
  return total > 0 && sendTo(ports, profileId, (profile) => expiryMail(head, profile, first, total));
};

/** The same to an admin, if the recipient still gets notices. */
const sendExpiries = async (
  ports: Needs,
  settings: NoticeSettings,
  head: Letterhead,
  profileId: Recipient['id'],
): Promise<boolean> => {
  const { total, first } = await ports.expiries.ofAll(soon(ports), endsMax);
  const admin = (await noticedAdmins(ports, settings)).find((noticed) => noticed.id === profileId);
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
  const said = shortLine(error instanceof Error ? error.message : String(error), errorLengthMax);
  const now = clock.now();
  const delay = isForGood(error) ? null : retryDelayMs(task.kind, attempts + 1);
  if (delay === null) await outbox.deadLetter(id, now, said);
  else await outbox.retry(id, now + delay, said);
  return { failed: task.kind, error: said, givenUp: delay === null };
};

/** Whether a retry cannot help. */
const isForGood = (error: unknown): boolean =>
  error instanceof TextRefusedError || (error instanceof DeliveryError && error.permanent);

/**
 * Offers due jobs to the queue; returns how many. Every process that runs jobs relays them, so that none depends on
 * another: a job that several offer is claimed once.
 */
export const relayJobs =
  ({ outbox, queue, clock }: Pick<Ports, 'outbox' | 'queue' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const offerDue = async (kind: JobKind): Promise<number> => {
      const due = await outbox.due(kind, now, offeredAtOnce);
      queue.offer(kind, due);
      return due.length;
    };
    const offered = await Promise.all(jobKinds.map(offerDue));
    return offered.reduce((sum, count) => sum + count, 0);
  };

/** How many jobs wait, how many are dead letters, and how long the oldest due one has been waiting (0 if none is due). */
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
