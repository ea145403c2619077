import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { isPorticoError, jobKinds, PorticoError } from '@portico/domain';
import type { CallerRow, Effects, ErrorCode, Instant, JobId, NewJob, Profile } from '@portico/domain';
import { endOfTime, jobEffectsOf, start } from './records.ts';
import type { Stores } from './stores.ts';

/** A decision that throws. */
export const failDecision = (): never => {
  throw new PorticoError('already_approved');
};

/** Asserts that the attempt throws a `PorticoError` with this code, and not an error that merely looks like one. */
export const assertRejects = async (attempt: Promise<unknown>, code: ErrorCode): Promise<void> => {
  const [outcome] = await Promise.allSettled([attempt]);
  ok(outcome.status === 'rejected', `expected ${code}, but nothing was thrown`);
  ok(isPorticoError(outcome.reason, code), `expected ${code}, got ${String(outcome.reason)}`);
};

/** Asserts that the attempt throws any error. */
export const assertFails = async (attempt: Promise<unknown>): Promise<void> => {
  const [outcome] = await Promise.allSettled([attempt]);
  strictEqual(outcome.status, 'rejected', 'expected a failure');
};

/** Asserts that exactly one of 20 concurrent attempts succeeds and that the others throw this code. */
export const assertOneSucceeds = async (
  attempt: (index: number) => Promise<unknown>,
  code: ErrorCode,
): Promise<void> => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => attempt(index)));
  const rejections = outcomes.filter(
    (outcome) => outcome.status === 'rejected' && isPorticoError(outcome.reason, code),
  );
  const successes = outcomes.filter(({ status }) => status === 'fulfilled');
  deepStrictEqual({ succeeded: successes.length, rejected: rejections.length }, { succeeded: 1, rejected: 19 });
};

/** Returns the due jobs of all kinds, at most `limitPerKind` of each kind. */
export const findDueJobs = async ({ outbox }: Stores, now: Instant, limitPerKind: number): Promise<JobId[]> =>
  (await Promise.all(jobKinds.map((kind) => outbox.listDue(kind, now, limitPerKind)))).flat();

/** Asserts that the audit log and the outbox contain exactly these effects. */
export const assertWritten = async (stores: Stores, ...expected: readonly Effects[]): Promise<void> => {
  const { entries, total } = await stores.audit.readPage({ source: 'all' }, 0, 1_000);
  const jobs = await findDueJobs(stores, endOfTime, 1_000);
  deepStrictEqual(
    { entries: entries.map(({ id }) => id).sort(), total, jobs: [...jobs].sort() },
    {
      entries: expected.flatMap((effects) => (effects.entries ?? []).map(({ id }) => id)).sort(),
      total: expected.reduce((sum, effects) => sum + (effects.entries?.length ?? 0), 0),
      jobs: expected.flatMap((effects) => (effects.jobs ?? []).map(({ id }) => id)).sort(),
    },
  );
};

/** Reads the profile's caller row, as the request path does. */
export const rowOf = async ({ callers }: Stores, { uid }: Profile): Promise<CallerRow> => {
  const row = await callers.findByUid(uid, null, start);
  ok(row, `no profile has the uid ${uid}`);
  return row;
};

/** Writes the jobs to the outbox, as the effects of a change. */
export const enqueueJobs = async <Jobs extends readonly [NewJob, ...NewJob[]]>(
  { embeddingJobs }: Stores,
  ...jobs: Jobs
): Promise<Jobs> => {
  await embeddingJobs.enqueue(jobEffectsOf(...jobs));
  return jobs;
};
