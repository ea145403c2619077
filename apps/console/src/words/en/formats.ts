/**
 * The browser's preferred English locale, so that dates match the text even if the browser's first language is a
 * different one.
 */
const language = navigator.languages.find((one) => /^en\b/.test(one)) ?? 'en';

const numbers = new Intl.NumberFormat(language);
const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const minutes = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const seconds = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

export const number = (value: number): string => numbers.format(value);
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** Formats numbers and times. Times are in the browser's time zone, except for days, which are in UTC. */
export const formats = {
  number,
  /** Formats a number with at most one decimal place. */
  tenth: (value: number): string => tenths.format(value),
  date: (at: Date): string => dates.format(at),
  /** Formats a calendar day such as `2027-03-31`. */
  day: (day: string): string => days.format(new Date(day)),
  minute: (at: Date): string => minutes.format(at),
  second: (at: Date): string => seconds.format(at),
  /** Returns "2 hours ago" or "tomorrow", for example. */
  relative: (value: number, unit: Intl.RelativeTimeFormatUnit): string => relative.format(value, unit),
};
