import type { CallResult } from '../../api/call.ts';

export type UsageLine = CallResult<'GET /api/usage'>[number];

/** The counts, in display order. */
export const countNames = ['reads', 'searches', 'slices', 'calls', 'credential_reads', 'refused'] as const;
export type CountName = (typeof countNames)[number];

/** Returns a count; 0 if the service does not report it for the line. */
export const countOf = (line: UsageLine, name: CountName): number => line[name] ?? 0;

/** Returns the number of successful requests, excluding rejected ones. */
export const usageOf = (line: UsageLine): number =>
  countNames.reduce((sum, name) => (name === 'refused' ? sum : sum + countOf(line, name)), 0);

export const compareByUsage = (a: UsageLine, b: UsageLine): number =>
  usageOf(b) - usageOf(a) || countOf(b, 'refused') - countOf(a, 'refused');

/** Returns a line for every day, including days without usage. */
export const dailyOf = (
  days: readonly string[],
  lines: readonly UsageLine[],
): readonly (UsageLine & { day: string })[] => {
  const lineOfDay = new Map(lines.map((line) => [line.day, line]));
  return days.map((day) => ({ ...emptyCounts, ...lineOfDay.get(day), day }));
};

const emptyCounts = { reads: 0, searches: 0, slices: 0, calls: 0, credential_reads: 0, refused: 0 };
