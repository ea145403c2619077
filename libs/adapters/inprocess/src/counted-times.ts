import type { Admissions, Ticks } from './admission-history.ts';

/** Numbers of admissions with the latest time each can have had, in ascending order. Grows as needed. */
export class CountedTimes {
  readonly #lengthMax: number;
  #times = new Float64Array(4);
  #counts = new Float64Array(4);
  #length = 0;
  #total = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length === this.#lengthMax;
  }

  /** The sum of all counts. */
  get total(): number {
    return this.#total;
  }

  get byteLength(): number {
    return this.#times.byteLength + this.#counts.byteLength;
  }

  timeAt(index: number): Ticks {
    return this.#times[index] ?? Number.NaN;
  }

  countAt(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** Appends a count; `at` is not before the last time, and there is room. */
  push(at: Ticks, count: number): void {
    if (this.#length === this.#times.length) this.#grow();
    this.#times[this.#length] = at;
    this.#counts[this.#length] = count;
    this.#length++;
    this.#total += count;
  }

  /** Adds to the last count, and moves all of it to `at`. */
  addToLast(at: Ticks, count: number): void {
    const last = this.#length - 1;
    this.#times[last] = at;
    this.#counts[last] = this.countAt(last) + count;
    this.#total += count;
  }

  dropFirst(): void {
    this.#total -= this.countAt(0);
    this.#removeAt(0);
  }

  /** Merges a count into the next one, which keeps its time. */
  mergeIntoNext(index: number): void {
    this.#counts[index + 1] = this.countAt(index + 1) + this.countAt(index);
    this.#removeAt(index);
  }

  *[Symbol.iterator](): Generator<Admissions> {
    for (let index = 0; index < this.#length; index++) yield [this.timeAt(index), this.countAt(index)];
  }

  #removeAt(index: number): void {
    this.#times.copyWithin(index, index + 1, this.#length);
    this.#counts.copyWithin(index, index + 1, this.#length);
    this.#length--;
  }

  #grow(): void {
    const length = Math.min(2 * this.#length, this.#lengthMax);
    const [times, counts] = [new Float64Array(length), new Float64Array(length)];
    times.set(this.#times);
    counts.set(this.#counts);
    this.#times = times;
    this.#counts = counts;
  }
}
