import { warningOf, type DocumentPath, type DocumentWarning } from '@portico/domain';

const shownMax = 20;
/** Counting stops here, so that a document full of faults costs no more than one with many. */
const countedMax = 10_000;
/** And here, counting duplicates too, which occur if pointers are cut. */
const toldMax = 2 * countedMax;

/** Collects violations: each once, the first ones in full, and their total. */
export class Violations {
  readonly #first: DocumentWarning[] = [];
  readonly #known = new Set<string>();
  #told = 0;

  add(path: DocumentPath, message: string): void {
    if (this.full) return;
    this.#told++;
    const warning = warningOf({ path, message });
    const key = `${warning.pointer}\n${warning.message}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    if (this.#first.length < shownMax) this.#first.push(warning);
  }

  /** 10,000 means that many or more. */
  get total(): number {
    return this.#known.size;
  }

  get full(): boolean {
    return this.#known.size >= countedMax || this.#told >= toldMax;
  }

  get first(): readonly DocumentWarning[] {
    return this.#first;
  }
}
