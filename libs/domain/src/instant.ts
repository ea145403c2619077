/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/**
 * The text of the last formatted second, up to the dot. Instants that are formatted at about the same time share it;
 * `Date` takes ten times as long.
 */
let lastSecond = { number: NaN, text: '' };

/** Formats an instant as ISO 8601 in UTC, with milliseconds and `Z`. Throws a RangeError as `Date` does. */
export const toIso = (instant: Instant): string => {
  const wholeMs = Math.trunc(instant);
  const seconds = Math.floor(wholeMs / 1_000);
  if (seconds !== lastSecond.number)
    lastSecond = { number: seconds, text: new Date(wholeMs).toISOString().slice(0, -'000Z'.length) };
  return `${lastSecond.text}${String(wholeMs - seconds * 1_000).padStart(3, '0')}Z`;
};
export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant));

export const dayMs = 86_400_000;

/** Formats an instant for people: `2031-05-06 07:08 UTC`. */
export const formatMinute = (instant: Instant): string => `${toIso(instant).slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Returns the time of a change: now, but always later than the previous change, so that `updated_at` strictly
 * increases.
 */
export const nextChangeAt = (previous: Instant, now: Instant): Instant => Math.max(now, previous + 1);
