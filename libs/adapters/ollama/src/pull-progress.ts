import type { ProgressResponse } from 'ollama';

interface Layer {
  readonly total: number;
  readonly completed: number;
}

/** Tracks the progress of a pull. The server retries a stalled part indefinitely, and keeps reporting it. */
export class PullProgress {
  readonly #layers = new Map<string, Layer>();
  readonly #steps = new Set<string>();
  #text = '';

  /**
   * The progress of all layers reported so far, for example `50 %, 137 of 274 MB`; the name of the step if the last one
   * was not for a layer.
   */
  get text(): string {
    return this.#text;
  }

  /** Records a step. Returns whether there was progress: a new step, or more bytes of a layer than before. */
  record({ status, digest, total, completed = 0 }: ProgressResponse): boolean {
    const isNew = !this.#steps.has(status);
    this.#steps.add(status);
    this.#text = status;
    if (!digest || !total) return isNew;
    const previousBytes = this.#layers.get(digest)?.completed ?? -1;
    this.#layers.set(digest, { total, completed: Math.max(previousBytes, completed) });
    const layers = [...this.#layers.values()];
    const [completedBytes, totalBytes] = [
      sum(layers.map((layer) => layer.completed)),
      sum(layers.map((layer) => layer.total)),
    ];
    this.#text = `${Math.floor((completedBytes / totalBytes) * 100)} %, ${toMegabytes(completedBytes)} of ${toMegabytes(totalBytes)} MB`;
    return completed > previousBytes;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);
const toMegabytes = (bytes: number): number => Math.round(bytes / 1e6);
