import { warningOf, type DocumentPath, type DocumentWarning } from '@portico/domain';

const shownMax = 20;
/** Counting ends there, so that a document made of faults costs no more than one that has many. */
const countedMax = 10_000;
/** And there, however many of them are alike, as they are where their pointers are cut. */
const toldMax = 2 * countedMax;

/** Gathers violations: each once, the first ones in full, and how many there are. */
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

  /** 10,000 stands for that many and more. */
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
