import type { ProgressResponse } from 'ollama';

interface Layer {
  readonly total: number;
  readonly completed: number;
}

/** The progress of a pull. The server retries a stalled part for ever, and keeps reporting it. */
export class PullProgress {
  readonly #layers = new Map<string, Layer>();
  readonly #steps = new Set<string>();
  #said = '';

  /** Over all layers named so far: `50 %, 137 of 274 MB`; otherwise the step's name. */
  get said(): string {
    return this.#said;
  }

  /** Returns whether this is progress: a new step, or more of a layer than ever before. */
  note({ status, digest, total, completed = 0 }: ProgressResponse): boolean {
    const isNew = !this.#steps.has(status);
    this.#steps.add(status);
    this.#said = status;
    if (!digest || !total) return isNew;
    const before = this.#layers.get(digest)?.completed ?? -1;
    this.#layers.set(digest, { total, completed: Math.max(before, completed) });
    const all = [...this.#layers.values()];
    const [done, bytes] = [sum(all.map((layer) => layer.completed)), sum(all.map((layer) => layer.total))];
    this.#said = `${Math.floor((done / bytes) * 100)} %, ${megabytes(done)} of ${megabytes(bytes)} MB`;
    return completed > before;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);
const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
