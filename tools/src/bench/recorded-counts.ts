import { readFileSync, writeFileSync } from 'node:fs';
import type { ByName, EmbeddedCounts, ServerCounts } from './counts.ts';

/** What requests may take; `npm run bench -- --part counts --record` writes it. */
export interface RecordedCounts {
  readonly embedded: ByName<EmbeddedCounts>;
  readonly servers: ByName<ServerCounts>;
}

const file = new URL('counts.json', import.meta.url);

export const readRecordedCounts = (): RecordedCounts => JSON.parse(readFileSync(file, 'utf8')) as RecordedCounts;

/** Replaces what was counted now. */
export const recordCounts = (counted: Partial<RecordedCounts>): void =>
  writeFileSync(file, `${JSON.stringify({ ...readRecordedCounts(), ...counted }, null, 2)}\n`);

/** Says each count that differs from the recorded one, be it more or less: `request: 2 statements, recorded 1`. */
export const countDifferences = (
  recorded: ByName<EmbeddedCounts | ServerCounts>,
  counted: ByName<EmbeddedCounts | ServerCounts>,
): readonly string[] =>
  Object.entries(counted).flatMap(([request, counts]) => {
    const [now, then] = [flat(counts), flat(recorded[request])];
    // Where system calls cannot be counted, there are none to compare.
    const comparable = 'systemCalls' in counts && counts.systemCalls === null ? Object.keys(now) : Object.keys(then);
    return [...new Set([...Object.keys(now), ...comparable])].flatMap((what) => {
      const [is, was] = [now[what] ?? 0, then[what] ?? 0];
      return Math.abs(is - was) <= toleranceOf(what, was) ? [] : [`${request}: ${is} × ${what}, recorded ${was}`];
    });
  });

const flat = (counts: EmbeddedCounts | ServerCounts | undefined): Readonly<Record<string, number>> => {
  if (counts === undefined) return {};
  if (!('systemCalls' in counts)) return { ...counts };
  const { systemCalls, ...others } = counts;
  return { ...others, ...systemCalls };
};

/** What a request itself does, and nothing in the background. */
const exact = /( socket|^statements)$/;

/**
 * Allocations repeat within a few percent; calls for a file now and then come once more (a checkpoint, the thread for it,
 * a full page), and a write for each request is less than a page, which takes two: the service files and counts in the
 * background. How
 * many lines of the log are written together depends on how fast the machine is: one write at most is all that is held.
 */
const toleranceOf = (what: string, recorded: number): number => {
  if (what.endsWith(' log')) return 1;
  if (what.endsWith('Bytes')) return Math.max(100, recorded * 0.1);
  if (what === 'pwrite64 file') return 1;
  return exact.test(what) ? 0 : 0.5 + recorded * 0.05;
};
