import type { ProgressResponse } from 'ollama';

interface Layer {
  readonly total: number;
  readonly completed: number;
}

/** How far a pull is. A part that stalls is tried again and again by the server, which goes on to say how far that is. */
export class PullProgress {
  readonly #layers = new Map<string, Layer>();
  readonly #steps = new Set<string>();
  #said = '';

  /** Of all layers that were named so far: `50 %, 137 of 274 MB`; otherwise the step's name. */
  get said(): string {
    return this.#said;
  }

  /** Whether the step is new, or has more of its layer than was ever there. */
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
