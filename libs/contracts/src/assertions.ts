import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { isPorticoError, jobKinds, PorticoError } from '@portico/domain';
import type { CallerRow, Effects, ErrorCode, Instant, JobId, NewJob, Profile } from '@portico/domain';
import { endOfTime, jobsOnly, start } from './records.ts';
import type { Stores } from './stores.ts';

/** A decision that throws. */
export const refuse = (): never => {
  throw new PorticoError('already_approved');
};

/** Asserts that the attempt was refused with that code, and not by an error that merely looks like it. */
export const assertRefused = async (attempt: Promise<unknown>, code: ErrorCode): Promise<void> => {
  const [outcome] = await Promise.allSettled([attempt]);
  ok(outcome.status === 'rejected', `expected ${code}, but nothing was refused`);
  ok(isPorticoError(outcome.reason, code), `expected ${code}, got ${String(outcome.reason)}`);
};

/** Asserts that the attempt failed, whatever the error. */
export const assertFails = async (attempt: Promise<unknown>): Promise<void> => {
  const [outcome] = await Promise.allSettled([attempt]);
  strictEqual(outcome.status, 'rejected', 'expected a failure');
};

/** Asserts that of twenty concurrent attempts one succeeds and the others are refused with that code. */
export const assertOneWins = async (attempt: (index: number) => Promise<unknown>, code: ErrorCode): Promise<void> => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => attempt(index)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected' && isPorticoError(outcome.reason, code));
  const succeeded = outcomes.filter(({ status }) => status === 'fulfilled');
  deepStrictEqual({ succeeded: succeeded.length, refused: refused.length }, { succeeded: 1, refused: 19 });
};

/** The due jobs of every kind, at most this many of each. */
export const dueJobs = async ({ outbox }: Stores, now: Instant, limitOfEachKind: number): Promise<JobId[]> =>
  (await Promise.all(jobKinds.map((kind) => outbox.due(kind, now, limitOfEachKind)))).flat();

/** Asserts that the audit log and the outbox hold exactly these effects. */
export const assertWritten = async (stores: Stores, ...expected: readonly Effects[]): Promise<void> => {
  const { entries, total } = await stores.audit.page({ source: 'all' }, 0, 1_000);
  const jobs = await dueJobs(stores, endOfTime, 1_000);
  deepStrictEqual(
    { entries: entries.map(({ id }) => id).sort(), total, jobs: [...jobs].sort() },
    {
      entries: expected.flatMap((effects) => (effects.entries ?? []).map(({ id }) => id)).sort(),
      total: expected.reduce((sum, effects) => sum + (effects.entries?.length ?? 0), 0),
      jobs: expected.flatMap((effects) => (effects.jobs ?? []).map(({ id }) => id)).sort(),
    },
  );
};

/** What the hot read says about the profile now. */
export const rowOf = async ({ callers }: Stores, { uid }: Profile): Promise<CallerRow> => {
  const row = await callers.byUid(uid, null, start);
  ok(row, `no profile has the uid ${uid}`);
  return row;
};

/** Writes the jobs into the outbox, as the effects of a change. */
export const waiting = async <Jobs extends readonly [NewJob, ...NewJob[]]>(
  { embeddingJobs }: Stores,
  ...jobs: Jobs
): Promise<Jobs> => {
  await embeddingJobs.enqueue(jobsOnly(...jobs));
  return jobs;
};
