import { type LimitRule, windowSecondsMax } from '@portico/domain';

/**
 * Whole microseconds of the monotonic clock, so that sums and differences are exact: a subject that waits until the
 * announced time is never rejected because of rounding.
 */
export type Ticks = number;

export const ticksPerSecond = 1_000_000;

/** The highest limit for which each admission is stored individually (specification, section 7). */
const exactLimitMax = 1000;

/**
 * Number of sub-windows per window. A window overlaps at most one more, since their edges are not aligned, and a second
 * one due to rounding.
 */
const subWindowsInWindow = 126;

/** Maximum number of counts for admissions that no window contains. */
const olderCountsMax = 12;

/** The state of a history under one rule at one point in time. */
export interface WindowCount {
  /** Admissions within the window. */
  readonly count: number;
  /** The time of the oldest of these admissions; meaningless if there are none. */
  readonly oldestAt: Ticks;
  /**
   * The time at which the next request would be admitted if no other one is admitted first; `now` if that is
   * immediately.
   */
  readonly nextAdmissionAt: Ticks;
}

/** A history as saved in a state file. `log` and `times` are ascending; `counts` corresponds to `times`. */
export interface SavedHistory {
  readonly log: Float64Array;
  readonly times: Float64Array;
  readonly counts: Float64Array;
}

/**
 * A subject's admissions: a log of the last 1,000 individual ones, and counts of the earlier ones, each with the time
 * of its last admission. An inexact time is later than the real one, never earlier, and no admission is missing. So a
 * request that could be admitted may be rejected, but no request that must be rejected is admitted.
 *
 * For a limit of up to 1,000, the log is sufficient. For a higher limit, admissions are counted in sub-windows, at most
 * 128 of which overlap a window. Admissions that no current window needs are kept for later rules in a few counts,
 * which become coarser with age. A window is half-open: an admission exactly as old as the window has left it.
 */
export class AdmissionHistory {
  #log = new Float64Array(4);
  #size = 0;
  #times: number[] = [];
  #counts: number[] = [];

  /** Restores a saved history. All times are capped at `now`, because the machine's clock may have been set back. */
  static from({ log, times, counts }: SavedHistory, offset: Ticks, now: Ticks): AdmissionHistory {
    const history = new AdmissionHistory();
    const shift = (time: number): Ticks => Math.min(time + offset, now);
    history.#times = [...times].map(shift);
    history.#counts = [...counts];
    for (const time of log) history.#append(shift(time));
    return history;
  }

  get lastAdmittedAt(): Ticks {
    return (this.#size > 0 ? this.#log[this.#size - 1] : this.#times.at(-1)) ?? -Infinity;
  }

  /** The size of the stored numbers, in bytes. */
  get byteLength(): number {
    return this.#log.byteLength + 16 * this.#times.length;
  }

  countWindow(now: Ticks, { allowed, windowSeconds }: LimitRule): WindowCount {
    const window = windowSeconds * ticksPerSecond;
    let count = this.#size - this.#findFirstAfter(now - window);
    for (let i = this.#times.length - 1; i >= 0 && now - this.#timeAt(i) < window; i--) count += this.#countAt(i);
    return {
      count,
      oldestAt: this.#startOf(count),
      nextAdmissionAt: count < allowed ? now : this.#startOf(allowed) + window,
    };
  }

  admit(now: Ticks, { allowed, windowSeconds }: LimitRule): void {
    const window = windowSeconds * ticksPerSecond;
    if (allowed <= exactLimitMax) {
      if (this.#size === exactLimitMax) this.#push(this.#takeOldest(), 1);
      if (this.#times.length > olderCountsMax) this.#compact(now, window, 0);
      this.#append(now);
    } else {
      for (let i = 0; i < this.#size; i++) this.#push(this.#log[i] ?? 0, 1);
      if (this.#size > 0) [this.#log, this.#size] = [new Float64Array(0), 0];
      this.#push(now, 1);
      const lastIndex = this.#times.length - 1;
      if (lastIndex > 0 && subWindowOf(this.#timeAt(lastIndex - 1), window) === subWindowOf(now, window))
        this.#merge(lastIndex - 1);
      if (this.#times.length > lastIndex) this.#compact(now, window, window);
    }
  }

  toSavedHistory(offset: Ticks): SavedHistory {
    const shift = (time: number): number => time + offset;
    return {
      log: this.#log.slice(0, this.#size).map(shift),
      times: Float64Array.from(this.#times, shift),
      counts: Float64Array.from(this.#counts),
    };
  }

  /**
   * Merges counts in the same sub-window. If too many counts are at least as old as `age`, also merges the excess ones,
   * each time the two counts with the smallest combined span relative to their age.
   */
  #compact(now: Ticks, window: Ticks, age: Ticks): void {
    while (this.#times.length > 0 && now - this.#timeAt(0) >= windowSecondsMax * ticksPerSecond) this.#removeAt(0);
    for (let i = this.#times.length - 2; i >= 0; i--) {
      if (subWindowOf(this.#timeAt(i), window) === subWindowOf(this.#timeAt(i + 1), window)) this.#merge(i);
    }
    let oldCounts = 0;
    while (oldCounts < this.#times.length && now - this.#timeAt(oldCounts) >= age) oldCounts++;
    for (; oldCounts > olderCountsMax; oldCounts--) this.#merge(this.#findCheapestMerge(now, oldCounts));
  }

  /**
   * Returns the index of the count to merge with the next one, out of the first `length` counts. The first count is
   * never merged, because it marks where the others start.
   */
  #findCheapestMerge(now: Ticks, length: number): number {
    let [bestIndex, leastLoss] = [1, Infinity];
    for (let i = 1; i < length - 1; i++) {
      const startTime = this.#timeAt(i - 1);
      const loss = (this.#timeAt(i + 1) - startTime) / (now - startTime + 1);
      if (loss < leastLoss) [bestIndex, leastLoss] = [i, loss];
    }
    return bestIndex;
  }

  /** Merges a count into the next one, which keeps its time. */
  #merge(index: number): void {
    this.#counts[index + 1] = this.#countAt(index + 1) + this.#countAt(index);
    this.#removeAt(index);
  }

  #removeAt(index: number): void {
    this.#times.splice(index, 1);
    this.#counts.splice(index, 1);
  }

  #push(time: Ticks, count: number): void {
    this.#times.push(time);
    this.#counts.push(count);
  }

  #append(time: Ticks): void {
    if (this.#size === this.#log.length) {
      const largerLog = new Float64Array(Math.min(exactLimitMax, Math.max(4, 2 * this.#size)));
      largerLog.set(this.#log);
      this.#log = largerLog;
    }
    this.#log[this.#size++] = time;
  }

  #takeOldest(): Ticks {
    const oldest = this.#log[0] ?? 0;
    this.#log.copyWithin(0, 1, this.#size--);
    return oldest;
  }

  #timeAt(index: number): Ticks {
    return this.#times[index] ?? 0;
  }

  #countAt(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** Returns the time of the oldest of the newest `number` admissions. */
  #startOf(number: number): Ticks {
    if (number <= this.#size) return this.#log[this.#size - number] ?? 0;
    let index = this.#times.length;
    for (let remaining = number - this.#size; remaining > 0;) remaining -= this.#countAt(--index);
    return this.#timeAt(index);
  }

  /**
   * Finds, by bisection, the index of the first admission in the log after that time. Returns the log's size if there
   * is none.
   */
  #findFirstAfter(time: Ticks): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const subWindowOf = (time: Ticks, window: Ticks): number => Math.floor((time * subWindowsInWindow) / window);
