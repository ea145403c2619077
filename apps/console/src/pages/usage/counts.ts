import type { CallResult } from '../../api/call.ts';

export type UsageLine = CallResult<'GET /api/usage'>[number];

/** The counts, in display order. */
export const countNames = ['reads', 'searches', 'slices', 'credential_reads', 'refused'] as const;
export type CountName = (typeof countNames)[number];

/** Returns the number of successful requests, excluding rejected ones. */
export const usageOf = (line: UsageLine): number => line.reads + line.searches + line.slices + line.credential_reads;

export const compareByUsage = (a: UsageLine, b: UsageLine): number => usageOf(b) - usageOf(a) || b.refused - a.refused;

/** Returns a line for every day, including days without usage. */
export const dailyOf = (
  days: readonly string[],
  lines: readonly UsageLine[],
): readonly (UsageLine & { day: string })[] => {
  const lineOfDay = new Map(lines.map((line) => [line.day, line]));
  return days.map((day) => ({ ...emptyCounts, ...lineOfDay.get(day), day }));
};

const emptyCounts = { reads: 0, searches: 0, slices: 0, credential_reads: 0, refused: 0 };
