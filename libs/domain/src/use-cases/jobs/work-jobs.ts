import type { JobId } from '../../ids.ts';
import { type Job, type JobKind, jobKinds, type NoticeTask } from '../../jobs/job.ts';
import { retryDelayMs } from '../../jobs/retry-policy.ts';
import { shortLine } from '../../line.ts';
import {
  credentialsMail,
  DeliveryError,
  type Mail,
  registrationNotice,
  rejectionMail,
  rotationMail,
} from '../../mails/mail.ts';
import type { Ports } from '../../ports/index.ts';
import type { Credentials } from '../../profiles/api-key.ts';
import { TextRefusedError } from '../../search/embedding.ts';
import { noticedAdmins, type NoticeSettings, openCredentials } from '../mails/mail-jobs.ts';
import { embedCollection } from '../search/embed-collection.ts';

/** A crash delays a job that was under way by so long. Each call of a port for a job is bounded by less, all of them are not. */
const leaseMs = 20_000;

/** An admin gets at most one notice in so long. */
const noticeRestMs = 300_000;

/** So many of those who wait are told by name. */
const noticeNamesMax = 20;

/** What is kept of a failure's message, in UTF-16 units. */
const errorLengthMax = 1_000;

/** `not due`: it could not be leased, and is perhaps done already. `givenUp`: it is a dead letter now. `error` has at most 1,000 UTF-16 units. */
export type JobOutcome =
  'done' | 'not due' | { readonly failed: JobKind; readonly error: string; readonly givenUp: boolean };

type Needs = Pick<
  Ports,
  | 'outbox'
  | 'clock'
  | 'random'
  | 'callers'
  | 'keys'
  | 'profiles'
  | 'mailer'
  | 'cipher'
  | 'collections'
  | 'embeddings'
  | 'embedder'
  | 'vectors'
>;

/**
 * Works one job of the outbox at least once. While its lease lasts nobody else does; where its calls were so slow that it ran
 * out, a second may work it too, which a job bears as it bears repetition: a mail keeps its `Message-ID`, and an embedding of the
 * present text takes the place of another of it.
 */
export const workJob =
  (ports: Needs, settings: NoticeSettings) =>
  async (id: JobId): Promise<JobOutcome> => {
    const now = ports.clock.now();
    const job = await ports.outbox.claim(id, now, now + leaseMs);
    if (!job) return 'not due';
    let isMailed: boolean;
    try {
      isMailed = await perform(ports, settings, job);
    } catch (error) {
      return recordFailure(ports, job, error);
    }
    await end(ports, job, isMailed);
    return 'done';
  };

/** Returns whether a mail went out. */
const perform = async (ports: Needs, settings: NoticeSettings, { id, task }: Job): Promise<boolean> => {
  switch (task.kind) {
    case 'mail.credentials':
      return sendCurrent(ports, id, task, credentialsMail);
    case 'mail.rotation':
      return sendCurrent(ports, id, task, rotationMail);
    case 'mail.rejection':
      return sendTo(ports, task.profileId, (profile) => rejectionMail(id, profile, task.reason));
    case 'mail.notice':
      return sendNotice(ports, settings, id, task);
    case 'embed':
      await embedCollection(ports, task.collectionId);
      return false;
  }
};

/** A notice that was sent rests: who registers from now on, or while it was sent, is told of by the next. */
const end = ({ outbox, clock, random }: Needs, { id, task }: Job, isMailed: boolean): Promise<void> => {
  if (task.kind !== 'mail.notice') return outbox.done(id);
  const dueAt = clock.now() + (isMailed ? noticeRestMs : 0);
  return outbox.rest({ id, task }, { id: random.uuid() as JobId, dueAt });
};

type Recipient = NonNullable<Awaited<ReturnType<Ports['profiles']['find']>>>;

/** A profile that is gone by now wants no mail. */
const sendTo = async (
  { profiles, mailer }: Needs,
  profileId: Recipient['id'],
  write: (profile: Recipient) => Mail,
): Promise<boolean> => {
  const profile = await profiles.find(profileId);
  if (profile) await mailer.send(write(profile));
  return profile !== null;
};

/** A secret that was replaced by now is not mailed: the mail of its successor may be there before. */
const sendCurrent = async <Mailed extends Credentials>(
  ports: Needs,
  id: JobId,
  { profileId, sealed }: { readonly profileId: Recipient['id']; readonly sealed: string },
  write: (id: JobId, profile: Recipient, credentials: Mailed) => Mail,
): Promise<boolean> => {
  const credentials = openCredentials<Mailed>(ports.cipher, id, sealed);
  const row = await ports.callers.byClientId(credentials.clientId, null);
  if (row?.key?.current.tag !== ports.keys.tag(credentials.secret)) return false;
  return sendTo(ports, profileId, (profile) => write(id, profile, credentials));
};

/** Of whoever waits now. Nothing is sent where all are decided, or to one who is an admin no more. */
const sendNotice = async (
  ports: Needs,
  settings: NoticeSettings,
  id: JobId,
  { profileId }: NoticeTask,
): Promise<boolean> => {
  const waiting = await ports.profiles.pending(noticeNamesMax);
  const admin = (await noticedAdmins(ports, settings)).find((noticed) => noticed.id === profileId);
  if (waiting.total === 0 || !admin) return false;
  await ports.mailer.send(registrationNotice(id, admin, waiting));
  return true;
};

const recordFailure = async (
  { outbox, clock }: Needs,
  { id, task, attempts }: Job,
  error: unknown,
): Promise<JobOutcome> => {
  // A server that is spoken to may have put anything into its answer.
  const said = shortLine(error instanceof Error ? error.message : String(error), errorLengthMax);
  const now = clock.now();
  const delay = isForGood(error) ? null : retryDelayMs(task.kind, attempts + 1);
  if (delay === null) await outbox.deadLetter(id, now, said);
  else await outbox.retry(id, now + delay, said);
  return { failed: task.kind, error: said, givenUp: delay === null };
};

/** Whether trying again is useless. */
const isForGood = (error: unknown): boolean =>
  error instanceof TextRefusedError || (error instanceof DeliveryError && error.permanent);

/** So many of each kind are offered at once. */
const relayBatch = 500;

/**
 * Offers the jobs that are due to the queue; returns how many. Every process that works jobs does so, so that none has to be
 * there for the others: what several offer at once is claimed once.
 */
export const relayJobs =
  ({ outbox, queue, clock }: Pick<Ports, 'outbox' | 'queue' | 'clock'>) =>
  async (): Promise<number> => {
    const now = clock.now();
    const offerDue = async (kind: JobKind): Promise<number> => {
      const due = await outbox.due(kind, now, relayBatch);
      queue.offer(kind, due);
      return due.length;
    };
    const offered = await Promise.all(jobKinds.map(offerDue));
    return offered.reduce((sum, count) => sum + count, 0);
  };

/** How many jobs wait or are dead letters, and for how long the longest due one has been waiting (0 where none is due). */
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
