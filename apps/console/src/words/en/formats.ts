/** The English that the browser prefers, if it does one: words and dates are of one language, whatever its own is. */
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

/** How numbers and times are written. Times are in the zone of the browser, but for days that are of UTC. */
export const formats = {
  number,
  /** With one decimal at most. */
  tenth: (value: number): string => tenths.format(value),
  date: (at: Date): string => dates.format(at),
  /** A day of the calendar, such as `2027-03-31`. */
  day: (day: string): string => days.format(new Date(day)),
  minute: (at: Date): string => minutes.format(at),
  second: (at: Date): string => seconds.format(at),
  /** "2 hours ago", or "tomorrow". */
  relative: (value: number, unit: Intl.RelativeTimeFormatUnit): string => relative.format(value, unit),
};
