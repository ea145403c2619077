import { type LimitRule, windowSecondsMax } from '@portico/domain';

/**
 * Whole microseconds of the monotonic clock, so that sums and differences are exact: a subject that waits as long as
 * announced is never refused because of rounding.
 */
export type Ticks = number;

export const ticksPerSecond = 1_000_000;

/** Up to this limit each admission is stored by itself (specification, section 7). */
const exactLimitMax = 1000;

/** Of these a window touches at most one more, since their edges are not aligned, and a second one by rounding. */
const subWindowsInWindow = 126;

/** How many counts are kept of what is in no window. */
const olderMax = 12;

/** The verdict of a history by one rule at one moment. */
export interface Judgement {
  /** Admissions within the window. */
  readonly counted: number;
  /** The time of the oldest of them; meaningless if there is none. */
  readonly oldestAt: Ticks;
  /** When one more request would be admitted if none comes before; `now` if at once. */
  readonly freeAt: Ticks;
}

/** What a state file holds: `log` and `times` are ascending, and `counts` belongs to `times`. */
export interface SavedHistory {
  readonly log: Float64Array;
  readonly times: Float64Array;
  readonly counts: Float64Array;
}

/**
 * The admissions of a subject: a log of the last 1,000 one by one, and before them counts, each with the time of its last
 * admission. A time that is not exact is later than the real one, never earlier, and no admission is missing: a request
 * may be refused that could pass, but none passes that must be refused.
 *
 * Up to a limit of 1,000 the log has what decides. A higher limit counts in sub-windows, of which at most 128 overlap a
 * window. What no window needs now is kept for a later rule in a few counts: the older, the coarser. A window is
 * half-open: an admission exactly as old as the window has left it.
 */
export class AdmissionHistory {
  #log = new Float64Array(4);
  #size = 0;
  #times: number[] = [];
  #counts: number[] = [];

  /** No time of the saved one becomes later than `now`: the machine's clock may have been set back. */
  static from({ log, times, counts }: SavedHistory, move: Ticks, now: Ticks): AdmissionHistory {
    const history = new AdmissionHistory();
    const moved = (at: number): Ticks => Math.min(at + move, now);
    history.#times = [...times].map(moved);
    history.#counts = [...counts];
    for (const at of log) history.#append(moved(at));
    return history;
  }

  get lastAdmittedAt(): Ticks {
    return (this.#size > 0 ? this.#log[this.#size - 1] : this.#times.at(-1)) ?? -Infinity;
  }

  /** The size of its numbers. */
  get byteLength(): number {
    return this.#log.byteLength + 16 * this.#times.length;
  }

  judge(now: Ticks, { allowed, windowSeconds }: LimitRule): Judgement {
    const window = windowSeconds * ticksPerSecond;
    let counted = this.#size - this.#firstAfter(now - window);
    for (let i = this.#times.length - 1; i >= 0 && now - this.#timeAt(i) < window; i--) counted += this.#countAt(i);
    return {
      counted,
      oldestAt: this.#startOf(counted),
      freeAt: counted < allowed ? now : this.#startOf(allowed) + window,
    };
  }

  admit(now: Ticks, { allowed, windowSeconds }: LimitRule): void {
    const window = windowSeconds * ticksPerSecond;
    if (allowed <= exactLimitMax) {
      if (this.#size === exactLimitMax) this.#push(this.#takeOldest(), 1);
      if (this.#times.length > olderMax) this.#compact(now, window, 0);
      this.#append(now);
    } else {
      for (let i = 0; i < this.#size; i++) this.#push(this.#log[i] ?? 0, 1);
      if (this.#size > 0) [this.#log, this.#size] = [new Float64Array(0), 0];
      this.#push(now, 1);
      const last = this.#times.length - 1;
      if (last > 0 && subWindowOf(this.#timeAt(last - 1), window) === subWindowOf(now, window)) this.#join(last - 1);
      if (this.#times.length > last) this.#compact(now, window, window);
    }
  }

  saved(move: Ticks): SavedHistory {
    const moved = (at: number): number => at + move;
    return {
      log: this.#log.slice(0, this.#size).map(moved),
      times: Float64Array.from(this.#times, moved),
      counts: Float64Array.from(this.#counts),
    };
  }

  /**
   * Joins the counts of one sub-window, and of those at least as old as `age` as many as are too many: always the two
   * that together span the least in proportion to their age.
   */
  #compact(now: Ticks, window: Ticks, age: Ticks): void {
    while (this.#times.length > 0 && now - this.#timeAt(0) >= windowSecondsMax * ticksPerSecond) this.#removeAt(0);
    for (let i = this.#times.length - 2; i >= 0; i--) {
      if (subWindowOf(this.#timeAt(i), window) === subWindowOf(this.#timeAt(i + 1), window)) this.#join(i);
    }
    let old = 0;
    while (old < this.#times.length && now - this.#timeAt(old) >= age) old++;
    for (; old > olderMax; old--) this.#join(this.#leastLoss(now, old));
  }

  /** Of the first so many counts, the one to join with the next. The first stays: it marks where the others begin. */
  #leastLoss(now: Ticks, length: number): number {
    let [best, least] = [1, Infinity];
    for (let i = 1; i < length - 1; i++) {
      const from = this.#timeAt(i - 1);
      const loss = (this.#timeAt(i + 1) - from) / (now - from + 1);
      if (loss < least) [best, least] = [i, loss];
    }
    return best;
  }

  /** Joins a count with the next one, which keeps its time. */
  #join(index: number): void {
    this.#counts[index + 1] = this.#countAt(index + 1) + this.#countAt(index);
    this.#removeAt(index);
  }

  #removeAt(index: number): void {
    this.#times.splice(index, 1);
    this.#counts.splice(index, 1);
  }

  #push(at: Ticks, count: number): void {
    this.#times.push(at);
    this.#counts.push(count);
  }

  #append(at: Ticks): void {
    if (this.#size === this.#log.length) {
      const grown = new Float64Array(Math.min(exactLimitMax, Math.max(4, 2 * this.#size)));
      grown.set(this.#log);
      this.#log = grown;
    }
    this.#log[this.#size++] = at;
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

  /** When the newest so many admissions begin. */
  #startOf(number: number): Ticks {
    if (number <= this.#size) return this.#log[this.#size - number] ?? 0;
    let index = this.#times.length;
    for (let left = number - this.#size; left > 0;) left -= this.#countAt(--index);
    return this.#timeAt(index);
  }

  /** The index of the first admission in the log after that time, by bisection; the size if there is none. */
  #firstAfter(time: Ticks): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const subWindowOf = (at: Ticks, window: Ticks): number => Math.floor((at * subWindowsInWindow) / window);
