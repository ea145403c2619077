import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { OllamaLimits } from './limits.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';
import { rejectOnAbort } from './reject-on-abort.ts';

export interface ModelLoadOptions {
  readonly api: Pick<OllamaApi, 'load' | 'listModels'>;
  readonly model: string;
  readonly limits: Pick<
    OllamaLimits,
    'loadMs' | 'loadPatienceMs' | 'assumeLoadedMs' | 'loadCheckMs' | 'loadCheckMaxMs' | 'checkMs'
  >;
  /** The signal that is aborted when the embedder closes. */
  readonly closeSignal: AbortSignal;
  readonly log: Log;
}

/**
 * Tracks whether the server has the model in memory. The server abandons a load when the client that started it
 * disconnects. Therefore, the model is loaded by separate requests that embed no text, with one load at a time. A load
 * may take minutes, even if its callers time out. If a text is sent while the model is unexpectedly unloaded, the
 * request for the text continues until the model is loaded.
 */
export class ModelLoad {
  readonly #options: ModelLoadOptions;
  #loading: Promise<void> | null = null;
  /** Whether the server did not respond to the last check. */
  #isUnresponsive = false;
  #startedAt = Number.NEGATIVE_INFINITY;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ModelLoadOptions) {
    this.#options = options;
  }

  /** Records that the server has just embedded a text. */
  markLoaded(): void {
    this.#loadedAt = performance.now();
  }

  /** Records that the model may be unloaded, so that the next caller queries the server. */
  forget(): void {
    this.#loadedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a load is in flight and the server responds. */
  get isLoading(): boolean {
    return this.#loading !== null && !this.#isUnresponsive;
  }

  /**
   * Resolves once the model is loaded. Throws a failure of kind `loading` if the signal is aborted first or, unless
   * `isPatient`, once the load has taken `loadPatienceMs`. Throws immediately if the server is known not to respond. If
   * the load fails, throws its error.
   */
  async ensureLoaded(signal: AbortSignal, isPatient: boolean): Promise<void> {
    const { limits } = this.#options;
    if (performance.now() - this.#loadedAt < limits.assumeLoadedMs) return;
    const loading = (this.#loading ??= this.#begin(performance.now()));
    if (this.#isUnresponsive) throw createUnresponsiveFailure();
    const patienceMs = Math.ceil(Math.max(0, this.#startedAt + limits.loadPatienceMs - performance.now()));
    const waitSignal = isPatient ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    await rejectOnAbort(waitSignal, loading).catch((error: unknown) => {
      throw waitSignal.aborted ? createLoadingFailure(error) : error;
    });
  }

  /**
   * Called if there was no response in time to the text that was sent at `sentAt`: its request may be loading the
   * model. Resolves once the load is over and the request may be aborted. Until then, `ensureLoaded` treats the request like
   * any load of this age.
   */
  async waitForLoad(sentAt: number): Promise<void> {
    this.forget();
    await (this.#loading ??= this.#begin(sentAt)).catch(() => undefined);
  }

  #begin(startedAt: number): Promise<void> {
    this.#startedAt = startedAt;
    const loading = this.#load().finally(() => {
      this.#loading = null;
    });
    // Prevents an unhandled rejection: all callers may have timed out.
    loading.catch(() => undefined);
    return loading;
  }

  /**
   * Loads the model. Repeats the request from time to time, because a request can be lost. Aborts no request before the
   * first response: any of them may be the one that keeps the load going.
   */
  async #load(): Promise<void> {
    const { api, limits, closeSignal, log, model } = this.#options;
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, closeSignal, AbortSignal.timeout(limits.loadMs)]);
    const requests: Promise<true>[] = [];
    try {
      for (let pauseMs = limits.loadCheckMs; ; pauseMs = Math.min(limits.loadCheckMaxMs, pauseMs * 2)) {
        if (!this.#isUnresponsive) requests.push(api.load(signal).then(() => true));
        const pause = setTimeout(this.#isUnresponsive ? limits.loadCheckMs : pauseMs, false, { signal });
        if (await Promise.race([...requests, pause])) break;
        if (requests.length === 1) log.info({}, `Ollama is loading the model ${model}`);
        this.#isUnresponsive = !(await this.#isResponding(signal));
      }
      this.#loadedAt = performance.now();
      if (requests.length > 1) log.info({}, `Ollama has loaded the model ${model}`);
    } finally {
      this.#isUnresponsive = false;
      controller.abort();
      await Promise.allSettled(requests);
    }
  }

  /** Whether the server responds in time. Rejects if the request fails for any other reason. */
  async #isResponding(signal: AbortSignal): Promise<boolean> {
    const timeout = AbortSignal.timeout(this.#options.limits.checkMs);
    try {
      await this.#options.api.listModels(AbortSignal.any([signal, timeout]));
      return true;
    } catch (error) {
      if (timeout.aborted && !signal.aborted) return false;
      throw error;
    }
  }
}

export const createLoadingFailure = (cause?: unknown): OllamaFailure =>
  new OllamaFailure('loading', 'the model is being loaded', cause);

const createUnresponsiveFailure = (): OllamaFailure => new OllamaFailure('server', 'the server does not respond');
