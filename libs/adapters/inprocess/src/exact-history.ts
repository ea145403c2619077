import type { LimitRule } from '@portico/domain';
import { ticksPerSecond } from './admission-history.ts';
import type { AdmissionHistory, Admissions, Judgement, Ticks } from './admission-history.ts';
import { OlderAdmissions } from './older-admissions.ts';

/** Up to this limit each admission is stored by itself (specification, section 7). */
export const exactLimitMax = 1000;

/**
 * The last 1,000 admissions, one by one, in a ring buffer that grows as needed. They are kept whatever the rule, so
 * that after a change between rules of up to 1,000 the same history still judges exactly.
 */
export class ExactHistory implements AdmissionHistory {
  readonly windowSeconds = null;
  readonly #older = new OlderAdmissions();
  #ring = new Float64Array(16);
  #oldest = 0;
  #size = 0;

  /** Converts another history's admissions, given in ascending order of time. */
  static from(admissions: Iterable<Admissions>, now: Ticks): ExactHistory {
    const history = new ExactHistory();
    const known = [...admissions];
    let beyondTheRing = known.reduce((sum, [, count]) => sum + count, 0) - exactLimitMax;
    for (const [at, count] of known) {
      const older = Math.min(count, Math.max(0, beyondTheRing));
      if (older > 0) history.#older.add(at, older, now);
      for (let left = count - older; left > 0; left--) history.admit(at);
      beyondTheRing -= older;
    }
    return history;
  }

  get lastAdmittedAt(): Ticks {
    return this.#size === 0 ? -Infinity : this.#at(this.#size - 1);
  }

  get byteLength(): number {
    return this.#ring.byteLength + this.#older.byteLength;
  }

  fits({ allowed }: LimitRule): boolean {
    return allowed <= exactLimitMax;
  }

  judge(now: Ticks, { allowed, windowSeconds }: LimitRule): Judgement {
    const window = windowSeconds * ticksPerSecond;
    const first = this.#firstAfter(now - window);
    const counted = this.#size - first;
    return {
      counted,
      oldestAt: this.#at(first),
      freeAt: counted < allowed ? now : this.#at(this.#size - allowed) + window,
    };
  }

  admit(now: Ticks): void {
    if (this.#size === this.#ring.length && !this.#grow()) {
      this.#older.add(this.#at(0), 1, now);
      this.#oldest = (this.#oldest + 1) % this.#ring.length;
      this.#size--;
    }
    this.#ring[(this.#oldest + this.#size) % this.#ring.length] = now;
    this.#size++;
  }

  *admissions(): Generator<Admissions> {
    yield* this.#older;
    for (let index = 0; index < this.#size; index++) yield [this.#at(index), 1];
  }

  /** The time of an admission; 0 is the oldest in the ring. */
  #at(index: number): Ticks {
    const place = this.#oldest + index;
    return this.#ring[place < this.#ring.length ? place : place - this.#ring.length] ?? Number.NaN;
  }

  /** The index of the first admission after that time, by binary search; the size if there is none. */
  #firstAfter(time: Ticks): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #grow(): boolean {
    if (this.#ring.length === exactLimitMax) return false;
    const ring = new Float64Array(Math.min(2 * this.#ring.length, exactLimitMax));
    for (let index = 0; index < this.#size; index++) ring[index] = this.#at(index);
    this.#ring = ring;
    this.#oldest = 0;
    return true;
  }
}
