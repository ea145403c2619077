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

/** Allocations repeat within a few percent; what is called is counted without what comes by time. */
const toleranceOf = (what: string, recorded: number): number =>
  what.endsWith('Bytes') ? Math.max(100, recorded * 0.1) : 0;
