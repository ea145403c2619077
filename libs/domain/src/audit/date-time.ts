import { dayMs, type Instant } from '../instant.ts';

const calendar = String.raw`(?<year>\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|(?<month2>\d\d)(?<day2>\d\d)|-?W(?<week>\d\d)-?(?<weekday>[1-7])|-?(?<ordinal>\d{3}))`;

const time = String.raw`(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?`;

const zone = String.raw`(?<zone>[Zz]|(?<sign>[+\-\u2212])(?<zoneHour>\d\d)(?::?(?<zoneMinute>\d\d))?)?`;

const dateTime = new RegExp(`^${calendar}[Tt]${time}${zone}$`);

/**
 * Parses an ISO 8601 date-time into milliseconds with fractions down to the microsecond; returns null if the text is
 * not one. Accepts calendar, week and ordinal dates, extended or basic; assumes UTC if there is no zone.
 */
export const parseDateTime = (text: string): Instant | null => {
  const parts = dateTime.exec(text)?.groups;
  if (!parts) return null;
  const day = dayOf(parts);
  const timeOfDay = timeOf(parts);
  const offset = zoneOf(parts);
  return day === null || timeOfDay === null || offset === null ? null : day + timeOfDay - offset;
};

/** Like `parseDateTime`, but also accepts a date without a time, which means the first instant of that day in UTC. */
export const parseDateOrDateTime = (text: string): Instant | null => parseDateTime(text) ?? parseDateTime(`${text}T00`);

/**
 * Parses an expiry: a date-time in whole milliseconds, or the end of a day in UTC for a date without a time. The latest
 * result is the end of the year 9999, because RFC 3339 cannot represent a later time. Returns null for any other text.
 */
export const parseExpiry = (text: string): Instant | null => {
  const instant = parseDateTime(text);
  const day = instant === null ? parseDateTime(`${text}T00`) : null;
  const expiry = day === null ? instant : day + dayMs;
  return expiry === null ? null : Math.min(Math.floor(expiry), latestExpiry);
};

const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type Parts = Readonly<Record<string, string | undefined>>;

const dayOf = (parts: Parts): number | null => {
  const year = Number(parts.year);
  if (parts.week) return toWeekDate(year, Number(parts.week), Number(parts.weekday));
  if (parts.ordinal) {
    const ordinal = Number(parts.ordinal);
    return ordinal >= 1 && ordinal <= countDaysInYear(year) ? toUtc(year, 0, 1) + (ordinal - 1) * dayMs : null;
  }
  const month = Number(parts.month ?? parts.month2);
  const day = Number(parts.day ?? parts.day2);
  const start = toUtc(year, month - 1, day);
  const date = new Date(start);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? start : null;
};

/** Converts an ISO 8601 week date: week 1 contains the year's first Thursday. */
const toWeekDate = (year: number, week: number, weekday: number): number | null => {
  const january4 = toUtc(year, 0, 4);
  const firstMonday = january4 - ((new Date(january4).getUTCDay() + 6) % 7) * dayMs;
  const thursday = firstMonday + ((week - 1) * 7 + 3) * dayMs;
  if (week < 1 || new Date(thursday).getUTCFullYear() !== year) return null;
  return firstMonday + ((week - 1) * 7 + weekday - 1) * dayMs;
};

const timeOf = (parts: Parts): number | null => {
  const [hour, minute, second] = [Number(parts.hour), Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  const unit = parts.second ? 1_000 : parts.minute ? 60_000 : 3_600_000;
  const fraction = parts.fraction ? Math.round(Number(`0.${parts.fraction}`) * unit * 1_000) / 1_000 : 0;
  const total = hour * 3_600_000 + minute * 60_000 + second * 1_000 + fraction;
  // 24:00 is the end of the day; a leap second is the start of the next one.
  return minute > 59 || second > 60 || hour > 24 || (hour === 24 && total > dayMs) ? null : total;
};

const zoneOf = ({ sign, zoneHour, zoneMinute }: Parts): number | null => {
  if (!sign) return 0;
  const [hours, minutes] = [Number(zoneHour), Number(zoneMinute ?? 0)];
  if (hours > 23 || minutes > 59) return null;
  return (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
};

/** Like `Date.UTC`, but does not map years below 100 to the 20th century. */
const toUtc = (year: number, month: number, day: number): number => {
  const date = new Date(Date.UTC(2000, month, day));
  return date.setUTCFullYear(year, month, day);
};

const countDaysInYear = (year: number): number => (toUtc(year + 1, 0, 1) - toUtc(year, 0, 1)) / dayMs;
