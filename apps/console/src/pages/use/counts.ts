import type { Answered } from '../../api/call.ts';

export type UseLine = Answered<'GET /api/usage'>[number];

/** What is counted, in the order in which it is shown. */
export const countNames = ['reads', 'searches', 'slices', 'credential_reads', 'refused'] as const;
export type CountName = (typeof countNames)[number];

/** What was answered; refused requests were not. */
export const usesOf = (line: UseLine): number => line.reads + line.searches + line.slices + line.credential_reads;

export const byUse = (a: UseLine, b: UseLine): number => usesOf(b) - usesOf(a) || b.refused - a.refused;

/** A line for every day, those without any use too. */
export const dailyOf = (days: readonly string[], lines: readonly UseLine[]): readonly (UseLine & { day: string })[] => {
  const counted = new Map(lines.map((line) => [line.day, line]));
  return days.map((day) => ({ ...none, ...counted.get(day), day }));
};

const none = { reads: 0, searches: 0, slices: 0, credential_reads: 0, refused: 0 };
