import { medianOf } from './statistics.ts';

/**
 * So long are the spans that are compared. V8 goes on compiling what a kind of request runs for some six seconds, and
 * spells differ by more than it brings in one of them: spans of less than a second agree by chance meanwhile.
 */
const spanMs = 2_000;
/** The compiler is done when a span costs the same as the one before it, but for this share. */
const agreement = 0.03;
/** Then spells count, whatever they cost: some machines are never quiet. */
const warmUpMsMax = 15_000;

/** Whether spells of a process count from now on, by what a request took in each of those so far. */
export const isWarm = (costs: readonly number[], spellMs: number): boolean => {
  if (costs.length * spellMs >= warmUpMsMax) return true;
  const span = Math.ceil(spanMs / spellMs);
  if (costs.length < 2 * span) return false;
  return Math.abs(medianOf(costs.slice(-span)) / medianOf(costs.slice(-2 * span, -span)) - 1) < agreement;
};
