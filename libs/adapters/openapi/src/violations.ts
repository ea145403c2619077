import { warningOf, type DocumentPath, type DocumentWarning } from '@portico/domain';

const shownMax = 20;
/** Counting stops at this number, so that a document full of faults costs no more than one with many. */
const countedMax = 10_000;
/** Counting also stops after this many violations including duplicates, which occur if pointers are truncated. */
const addedMax = 2 * countedMax;

/** Collects violations without duplicates: the first ones and the total number. */
export class Violations {
  readonly #first: DocumentWarning[] = [];
  readonly #known = new Set<string>();
  #added = 0;

  add(path: DocumentPath, message: string): void {
    if (this.full) return;
    this.#added++;
    const warning = warningOf({ path, message });
    const key = `${warning.pointer}\n${warning.message}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    if (this.#first.length < shownMax) this.#first.push(warning);
  }

  /** The total number of violations; 10,000 means 10,000 or more. */
  get total(): number {
    return this.#known.size;
  }

  get full(): boolean {
    return this.#known.size >= countedMax || this.#added >= addedMax;
  }

  get first(): readonly DocumentWarning[] {
    return this.#first;
  }
}
