import type { JobKind } from './job.ts';

/** The delays after the first, the second, … failure; after one more failure, the job is given up. */
interface RetrySchedule {
  readonly delaysMs: readonly number[];
}

/**
 * How long a failed job waits: the first delay doubles up to the longest; after `attemptsMax` failures the job is given
 * up.
 */
interface RetryPolicy {
  readonly firstMs: number;
  readonly longestMs: number;
  readonly attemptsMax: number;
}

const mailPolicy: RetryPolicy = { firstMs: 30_000, longestMs: 21_600_000, attemptsMax: 20 };

const embeddingPolicy: RetryPolicy = { firstMs: 1_000, longestMs: 300_000, attemptsMax: Infinity };

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Of Standard Webhooks. */
const webhookSchedule: RetrySchedule = {
  delaysMs: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour],
};

const policies = {
  'mail.credentials': mailPolicy,
  'mail.rotation': mailPolicy,
  'mail.rejection': mailPolicy,
  'mail.suspension': mailPolicy,
  'mail.resumption': mailPolicy,
  'mail.request': mailPolicy,
  'mail.call': mailPolicy,
  'mail.expiry': mailPolicy,
  'mail.expiries': mailPolicy,
  // Each admin has one such job, and it always has something to report.
  'mail.notice': { firstMs: 30_000, longestMs: 3_600_000, attemptsMax: Infinity },
  webhook: webhookSchedule,
  embed: embeddingPolicy,
  operations: embeddingPolicy,
} as const satisfies Record<JobKind, RetryPolicy | RetrySchedule>;

/** Returns the delay after this many failures (at least 1), or null if the job is given up after the last of them. */
export const retryDelayMs = (kind: JobKind, failures: number): number | null => {
  const policy: RetryPolicy | RetrySchedule = policies[kind];
  if ('delaysMs' in policy) return policy.delaysMs[failures - 1] ?? null;
  const { firstMs, longestMs, attemptsMax } = policy;
  return failures >= attemptsMax ? null : Math.min(longestMs, firstMs * 2 ** (failures - 1));
};
