import type { LimitRule } from '@portico/domain';
import { ticksPerSecond } from './admission-history.ts';
import type { AdmissionHistory, Admissions, Judgement, Ticks } from './admission-history.ts';
import { CountedTimes } from './counted-times.ts';
import { exactLimitMax } from './exact-history.ts';
import { OlderAdmissions } from './older-admissions.ts';

/** How many sub-windows may be alive at a time (specification, section 7). */
const subWindowsMax = 128;

/**
 * This many make a window. A window touches at most one more, since their edges are not aligned; the second spare is
 * for rounding. The loss is one part in 126: over 99 % of a limit can be used.
 */
const subWindowsInWindow = subWindowsMax - 2;

/**
 * Admissions counted per sub-window of one window. Each count has the time of its last admission, and leaves the window
 * with it.
 */
export class SubWindowHistory implements AdmissionHistory {
  readonly windowSeconds: number;
  readonly #window: Ticks;
  readonly #recent = new CountedTimes(subWindowsMax);
  readonly #older = new OlderAdmissions();
  #lastAdmittedAt: Ticks = -Infinity;

  constructor(windowSeconds: number) {
    this.windowSeconds = windowSeconds;
    this.#window = windowSeconds * ticksPerSecond;
  }

  /** Converts another history's admissions, given in ascending order of time. */
  static from(admissions: Iterable<Admissions>, windowSeconds: number, now: Ticks): SubWindowHistory {
    const history = new SubWindowHistory(windowSeconds);
    for (const [at, count] of admissions) {
      if (now - at < history.#window) history.#add(at, count);
      else history.#older.add(at, count, now);
      history.#lastAdmittedAt = at;
    }
    return history;
  }

  get lastAdmittedAt(): Ticks {
    return this.#lastAdmittedAt;
  }

  get byteLength(): number {
    return this.#recent.byteLength + this.#older.byteLength;
  }

  fits({ allowed, windowSeconds }: LimitRule): boolean {
    return allowed > exactLimitMax && windowSeconds === this.windowSeconds;
  }

  judge(now: Ticks, { allowed }: LimitRule): Judgement {
    this.#letGo(now);
    return {
      counted: this.#recent.total,
      oldestAt: this.#recent.timeAt(0),
      freeAt: this.#recent.total < allowed ? now : this.#freeAt(allowed),
    };
  }

  admit(now: Ticks): void {
    this.#letGo(now);
    this.#add(now, 1);
    this.#lastAdmittedAt = now;
  }

  *admissions(): Generator<Admissions> {
    yield* this.#older;
    yield* this.#recent;
  }

  #add(at: Ticks, count: number): void {
    const { length } = this.#recent;
    if (length > 0 && this.#subWindowOf(this.#recent.timeAt(length - 1)) === this.#subWindowOf(at)) {
      this.#recent.addToLast(at, count);
    } else {
      this.#recent.push(at, count);
    }
  }

  #subWindowOf(at: Ticks): number {
    return Math.floor((at * subWindowsInWindow) / this.#window);
  }

  #letGo(now: Ticks): void {
    while (this.#recent.length > 0 && now - this.#recent.timeAt(0) >= this.#window) {
      this.#older.add(this.#recent.timeAt(0), this.#recent.countAt(0), now);
      this.#recent.dropFirst();
    }
  }

  /** When enough counts have left for fewer than `allowed` to remain. */
  #freeAt(allowed: number): Ticks {
    let left = this.#recent.total;
    let index = -1;
    while (left >= allowed) left -= this.#recent.countAt(++index);
    return this.#recent.timeAt(index) + this.#window;
  }
}
