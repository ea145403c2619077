import { parseDateOrDateTime, toIso } from '@portico/domain';

const dayMs = 86_400_000;

/** Formats an expiry for people: as the last valid day if it is midnight in UTC, otherwise as the timestamp. */
export const formatExpiry = (expiry: string): string => {
  if (!expiry.endsWith('T00:00:00.000Z')) return expiry;
  const time = parseDateOrDateTime(expiry);
  return time === null ? expiry : toIso(time - dayMs).slice(0, 'yyyy-mm-dd'.length);
};
