import { words } from '../words/words.ts';

const dayMs = 86_400_000;

/** A day of UTC, such as `2027-03-31`, as the service takes it. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The last day of a right, for one that ends with a day of UTC, as it was chosen; null if it ends within a day. */
export const lastDayOf = (end: string): string | null => {
  const endMs = Date.parse(end);
  return endMs % dayMs === 0 ? dayOf(new Date(endMs - 1)) : null;
};

/** The last day of a right, in every time zone the one that was chosen; else the minute in that of the browser. */
export const endInWords = (end: string): string => {
  const lastDay = lastDayOf(end);
  return lastDay === null ? words.formats.minute(new Date(end)) : words.formats.day(lastDay);
};
