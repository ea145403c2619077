import type { SparseDocument } from './sparse-document.ts';

/** Caches documents, and evicts the least recently used ones first. */
export class DocumentCache {
  readonly #documents = new Map<string, SparseDocument>();
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(digest: string): SparseDocument | undefined {
    const document = this.#documents.get(digest);
    if (!document) return undefined;
    this.#documents.delete(digest);
    this.#documents.set(digest, document);
    return document;
  }

  /** Caches a document. If the document alone exceeds the limit, it is the only one in the cache. */
  put(digest: string, document: SparseDocument): void {
    this.#documents.delete(digest);
    this.#documents.set(digest, document);
    let bytes = [...this.#documents.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [oldest, { bytes: size }] of this.#documents) {
      if (bytes <= this.#bytesMax || oldest === digest) break;
      this.#documents.delete(oldest);
      bytes -= size;
    }
  }
}
