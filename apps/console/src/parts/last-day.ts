import { words } from '../words/words.ts';

const dayMs = 86_400_000;

/** Returns a UTC day such as `2027-03-31`, in the form that the service accepts. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** Returns the last day before an expiry at the end of a UTC day; null if the expiry is within a day. */
export const lastDayOf = (expiresAt: string): string | null => {
  const expiresAtMs = Date.parse(expiresAt);
  return expiresAtMs % dayMs === 0 ? dayOf(new Date(expiresAtMs - 1)) : null;
};

/** Formats an expiry as its last day, the same in every time zone, or else as a minute in the browser's time zone. */
export const formatExpiry = (expiresAt: string): string => {
  const lastDay = lastDayOf(expiresAt);
  return lastDay === null ? words.formats.minute(new Date(expiresAt)) : words.formats.day(lastDay);
};
