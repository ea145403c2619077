import type { DocumentWarning } from '@portico/domain';

const shownMax = 20;
/** Counting ends there, so that a document made of faults costs no more than one that has many. */
const countedMax = 10_000;
/** In characters, before `~` and `/` are escaped. */
const pointerMax = 2_000;

/** Gathers departures from a schema: each once, the first ones in full, and how many there are. */
export class Departures {
  readonly #first: DocumentWarning[] = [];
  readonly #known = new Set<string>();

  add(path: readonly (string | number)[], message: string): void {
    const pointer = pointerOf(path);
    const key = `${pointer}\n${message}`;
    if (this.full || this.#known.has(key)) return;
    this.#known.add(key);
    if (this.#first.length < shownMax) this.#first.push({ pointer, message });
  }

  /** 10,000 stands for that many and more. */
  get total(): number {
    return this.#known.size;
  }

  get full(): boolean {
    return this.#known.size >= countedMax;
  }

  get first(): readonly DocumentWarning[] {
    return this.#first;
  }
}

/**
 * JSON Pointer (RFC 6901, section 3). Where names of the document make it longer than anyone can use, it ends at the last
 * place above that is short enough, so that no document makes its warnings larger than itself.
 */
function pointerOf(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const token of path) {
    const name = String(token);
    if (pointer.length + name.length > pointerMax) break;
    pointer += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}
