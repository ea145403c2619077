import { InvalidArgumentError, Option } from 'commander';
import {
  allowedMax,
  parseExpiry,
  parseDateOrDateTime,
  windowSecondsMax,
  type Instant,
  type LimitRule,
} from '@portico/domain';

const invalidTimeMessage = 'It must be a date such as 2027-01-31, or an ISO 8601 date-time.';

/** Parses a time. A date without a time is the first instant of that day in UTC. */
export const parseTimeOption = (text: string): Instant => {
  const instant = parseDateOrDateTime(text);
  if (instant === null) throw new InvalidArgumentError(invalidTimeMessage);
  return instant;
};

/** Parses an expiry. A date without a time is the last valid day in UTC. */
export const parseExpiryOption = (text: string): Instant => {
  const instant = parseExpiry(text);
  if (instant === null) throw new InvalidArgumentError(invalidTimeMessage);
  return instant;
};

/** Parses an expiry like `parseExpiryOption`; returns null for `never`. */
export const parseExpiryOrNever = (text: string): Instant | null => (text === 'never' ? null : parseExpiryOption(text));

/** Creates a parser for a whole number from `min` to `max`. */
export const createIntegerParser =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

/** Parses a limit such as `600/60`: 600 requests per 60 seconds. */
export const parseRuleOption = (text: string): LimitRule => {
  const [, allowed = '', windowSeconds = ''] = /^(\d{1,10})\/(\d{1,10})$/.exec(text) ?? [];
  const rule = { allowed: Number(allowed), windowSeconds: Number(windowSeconds) };
  const isValid =
    rule.allowed >= 1 &&
    rule.allowed <= allowedMax &&
    rule.windowSeconds >= 1 &&
    rule.windowSeconds <= windowSecondsMax;
  if (isValid) return rule;
  throw new InvalidArgumentError(
    `It must be REQUESTS/SECONDS, such as 600/60: 1 to ${allowedMax} requests in 1 to ${windowSecondsMax} seconds.`,
  );
};

/** Creates the option to print a table for spreadsheets. */
export const createCsvOption = (): Option => new Option('--csv', 'print the result as CSV with a header row');

/** Creates the option for the groups in a local issuer's token. */
export const createGroupsOption = (): Option =>
  new Option('--groups <names>', 'the groups in the claim IDENTITY_GROUPS_CLAIM, separated by commas').argParser(
    (names: string) => names.split(',').map((name) => name.trim()),
  );

/** Parses a list that is separated by commas, such as keys of operations; an empty text is an empty list. */
export const parseListOption = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Parses the operations of a rule: `all`, `read-only`, or a list. */
export const parseOperationsOption = (text: string): 'all' | 'read_only' | string[] => {
  if (text === 'all') return text;
  return text === 'read-only' ? 'read_only' : parseListOption(text);
};
