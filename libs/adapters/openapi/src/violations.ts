import { warningOf, type DocumentPath, type DocumentWarning } from '@portico/domain';

const listedMax = 20;
/** Counting stops at this number, so that a document full of faults costs no more than one with many. */
const countedMax = 10_000;
/** Counting also stops after this many violations including duplicates, which occur if pointers are truncated. */
const addedMax = 2 * countedMax;

/** Collects violations without duplicates: the first ones and the total number. */
export class Violations {
  readonly #firstWarnings: DocumentWarning[] = [];
  readonly #keys = new Set<string>();
  #addedCount = 0;

  add(path: DocumentPath, message: string): void {
    if (this.isFull) return;
    this.#addedCount++;
    const warning = warningOf({ path, message });
    const key = `${warning.pointer}\n${warning.message}`;
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    if (this.#firstWarnings.length < listedMax) this.#firstWarnings.push(warning);
  }

  /** The total number of violations; 10,000 means 10,000 or more. */
  get total(): number {
    return this.#keys.size;
  }

  get isFull(): boolean {
    return this.#keys.size >= countedMax || this.#addedCount >= addedMax;
  }

  get first(): readonly DocumentWarning[] {
    return this.#firstWarnings;
  }
}
