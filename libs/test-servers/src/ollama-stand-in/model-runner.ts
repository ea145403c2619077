import { setTimeout } from 'node:timers/promises';

/**
 * Holds a model in memory and processes its texts, as the real one does. A request that finds it empty loads the model,
 * and aborts the load when its client leaves. Texts are processed one by one, first come first served, and to the end
 * even if their client has left.
 */
export class ModelRunner {
  /** How long a load takes. */
  loadMs = 0;
  /** How long a token takes. */
  tokenMs = 0;
  /** Loads that were started, including those that were aborted. */
  loadsBegun = 0;
  /** The tokens of each request that was processed while tokens take time, in order. */
  readonly turns: number[] = [];
  #isLoaded = false;
  #loading: Promise<void> | null = null;
  #lastTurn: Promise<void> = Promise.resolve();

  /** The next request loads the model again. */
  unload(): void {
    this.#isLoaded = false;
  }

  /** Resolves once this or an earlier request has loaded the model; rejects if this request's client leaves. */
  async load(clientLeft: AbortSignal): Promise<void> {
    while (!this.#isLoaded) {
      clientLeft.throwIfAborted();
      this.#loading ??= this.#load(clientLeft).finally(() => {
        this.#loading = null;
      });
      await this.#loading;
    }
  }

  /** Resolves once texts of this many tokens have had their turn. */
  work(tokens: number): Promise<void> {
    if (this.tokenMs > 0) this.#lastTurn = this.#lastTurn.then(() => this.#turn(tokens));
    return this.#lastTurn;
  }

  async #turn(tokens: number): Promise<void> {
    await setTimeout(tokens * this.tokenMs);
    this.turns.push(tokens);
  }

  async #load(clientLeft: AbortSignal): Promise<void> {
    this.loadsBegun += 1;
    const took = this.loadMs > 0 ? setTimeout(this.loadMs, true, { signal: clientLeft }) : Promise.resolve(true);
    this.#isLoaded = await took.catch(() => false);
  }
}
