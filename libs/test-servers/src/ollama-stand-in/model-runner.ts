import { setTimeout } from 'node:timers/promises';

/**
 * What holds a model in memory and works its texts, as the real one does: a request that finds it empty loads the model, and gives
 * the load up when its client leaves; texts are worked one by one, first come first served, and to the end though their client left.
 */
export class ModelRunner {
  /** How long a load takes. */
  loadMs = 0;
  /** How long a token takes. */
  tokenMs = 0;
  /** Loads that were begun, those that were given up included. */
  loadsBegun = 0;
  /** The tokens of each request that was worked while a token takes time, in order. */
  readonly turns: number[] = [];
  #isLoaded = false;
  #loading: Promise<void> | null = null;
  #lastTurn: Promise<void> = Promise.resolve();

  /** The next request loads the model anew. */
  unload(): void {
    this.#isLoaded = false;
  }

  /** Fulfilled once the model is loaded, by this request or by one that came before it; rejects where its client leaves. */
  async load(clientLeft: AbortSignal): Promise<void> {
    while (!this.#isLoaded) {
      clientLeft.throwIfAborted();
      this.#loading ??= this.#load(clientLeft).finally(() => {
        this.#loading = null;
      });
      await this.#loading;
    }
  }

  /** Fulfilled once texts of so many tokens have had their turn. */
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
    this.#isLoaded = await setTimeout(this.loadMs, true, { signal: clientLeft }).catch(() => false);
  }
}
