/**
 * The browser's preferred English locale, so that dates match the text even if the browser's first language is a
 * different one.
 */
const language = navigator.languages.find((locale) => /^en\b/.test(locale)) ?? 'en';

const numbers = new Intl.NumberFormat(language);
const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const minutes = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const seconds = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

export const formatNumber = (value: number): string => numbers.format(value);
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;

/** Formats numbers and times. Times are in the browser's time zone, except for days, which are in UTC. */
export const formats = {
  number: formatNumber,
  /** Formats a number with at most one decimal place. */
  oneDecimal: (value: number): string => tenths.format(value),
  date: (date: Date): string => dates.format(date),
  /** Formats a calendar day such as `2027-03-31`. */
  day: (day: string): string => days.format(new Date(day)),
  minute: (date: Date): string => minutes.format(date),
  second: (date: Date): string => seconds.format(date),
  /** Returns "2 hours ago" or "tomorrow", for example. */
  relative: (value: number, unit: Intl.RelativeTimeFormatUnit): string => relative.format(value, unit),
};
