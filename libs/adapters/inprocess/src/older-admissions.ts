import { windowSecondsMax } from '@portico/domain';
import { type Admissions, type Ticks, ticksPerSecond } from './admission-history.ts';
import { CountedTimes } from './counted-times.ts';

const countsMax = 12;

/**
 * Admissions that a history no longer knows exactly, in a few counts: the older, the coarser. The current rule does not
 * need them; they are kept for a later rule with a longer window or a higher limit.
 */
export class OlderAdmissions {
  #counts: CountedTimes | null = null;
  /** No admission in the first count is older. */
  #since: Ticks = 0;

  get byteLength(): number {
    return this.#counts?.byteLength ?? 0;
  }

  /** Adds admissions, none earlier than those added before. */
  add(at: Ticks, count: number, now: Ticks): void {
    const counts = (this.#counts ??= new CountedTimes(countsMax));
    while (counts.length > 0 && now - counts.timeAt(0) >= windowSecondsMax * ticksPerSecond) {
      this.#since = counts.timeAt(0);
      counts.dropFirst();
    }
    if (counts.length === 0) this.#since = at;
    if (counts.isFull) counts.mergeIntoNext(this.#leastLoss(counts, now));
    counts.push(at, count);
  }

  *[Symbol.iterator](): Generator<Admissions> {
    if (this.#counts) yield* this.#counts;
  }

  /**
   * The count that, together with the next, spans the least in proportion to its age. Weighing the span of both, not
   * the step between them, keeps a count from being carried along for ever.
   */
  #leastLoss(counts: CountedTimes, now: Ticks): number {
    let best = 0;
    let least = Infinity;
    let from = this.#since;
    for (let index = 0; index < counts.length - 1; index++) {
      const loss = (counts.timeAt(index + 1) - from) / (now - from + 1);
      if (loss < least) {
        least = loss;
        best = index;
      }
      from = counts.timeAt(index);
    }
    return best;
  }
}
