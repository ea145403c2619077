import { setTimeout } from 'node:timers/promises';

/**
 * Keeps a model in memory and processes its texts, as the real runner does. A request loads the model if necessary, and
 * aborts the load when its client disconnects. Texts are processed one by one, in the order of their arrival, and
 * completely even if their client has disconnected.
 */
export class ModelRunner {
  /** The time that loading the model takes. */
  loadMs = 0;
  /** The time that processing one token takes. */
  tokenMs = 0;
  /** The number of loads that were started, including aborted ones. */
  loadCount = 0;
  /** The number of tokens of each request that was processed while `tokenMs` was above 0, in order. */
  readonly processedTokens: number[] = [];
  #isLoaded = false;
  #loading: Promise<void> | null = null;
  #queue: Promise<void> = Promise.resolve();

  /** Unloads the model. The next request loads it again. */
  unload(): void {
    this.#isLoaded = false;
  }

  /** Resolves once this or an earlier request has loaded the model. Rejects if this request's client disconnects. */
  async load(disconnectSignal: AbortSignal): Promise<void> {
    while (!this.#isLoaded) {
      disconnectSignal.throwIfAborted();
      this.#loading ??= this.#load(disconnectSignal).finally(() => {
        this.#loading = null;
      });
      await this.#loading;
    }
  }

  /** Resolves once texts of this many tokens have been processed. */
  process(tokens: number): Promise<void> {
    if (this.tokenMs > 0) this.#queue = this.#queue.then(() => this.#process(tokens));
    return this.#queue;
  }

  async #process(tokens: number): Promise<void> {
    await setTimeout(tokens * this.tokenMs);
    this.processedTokens.push(tokens);
  }

  async #load(disconnectSignal: AbortSignal): Promise<void> {
    this.loadCount += 1;
    const delay = this.loadMs > 0 ? setTimeout(this.loadMs, true, { signal: disconnectSignal }) : Promise.resolve(true);
    this.#isLoaded = await delay.catch(() => false);
  }
}
