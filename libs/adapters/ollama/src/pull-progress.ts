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
  note({ status, digest, total, completed = 0 }: ProgressResponse): boolean {
    const isNew = !this.#steps.has(status);
    this.#steps.add(status);
    this.#text = status;
    if (!digest || !total) return isNew;
    const before = this.#layers.get(digest)?.completed ?? -1;
    this.#layers.set(digest, { total, completed: Math.max(before, completed) });
    const all = [...this.#layers.values()];
    const [done, bytes] = [sum(all.map((layer) => layer.completed)), sum(all.map((layer) => layer.total))];
    this.#text = `${Math.floor((done / bytes) * 100)} %, ${megabytes(done)} of ${megabytes(bytes)} MB`;
    return completed > before;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);
const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
