import type { SparseDocument } from './sparse-document.ts';

/** Documents, of which the ones that were not asked for the longest are forgotten first. */
export class KeptDocuments {
  readonly #kept = new Map<string, SparseDocument>();
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(digest: string): SparseDocument | undefined {
    const kept = this.#kept.get(digest);
    if (!kept) return undefined;
    this.#kept.delete(digest);
    this.#kept.set(digest, kept);
    return kept;
  }

  /** Keeps a document, even if it alone takes more than there is for all; then it is kept without others. */
  keep(digest: string, document: SparseDocument): void {
    this.#kept.delete(digest);
    this.#kept.set(digest, document);
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [oldest, { bytes: given }] of this.#kept) {
      if (bytes <= this.#bytesMax || oldest === digest) break;
      this.#kept.delete(oldest);
      bytes -= given;
    }
  }
}
