import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { OllamaLimits } from './limits.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface ModelLoadOptions {
  readonly api: Pick<OllamaApi, 'load' | 'tags'>;
  readonly model: string;
  readonly limits: Pick<
    OllamaLimits,
    'loadMs' | 'loadPatienceMs' | 'assumeLoadedMs' | 'loadCheckMs' | 'loadCheckMaxMs' | 'checkMs'
  >;
  /** Aborted when the embedder closes. */
  readonly closing: AbortSignal;
  readonly log: Log;
}

/**
 * Tracks whether the server has the model in memory. The server abandons a load when the client that started it
 * disconnects. So a load is separate from any text, one at a time, and may take minutes, even if its callers time out.
 * If a text is sent while the model is unexpectedly unloaded, its request continues until the model is loaded.
 */
export class ModelLoad {
  readonly #options: ModelLoadOptions;
  #loading: Promise<void> | null = null;
  /** Whether the last check of the server got no response. */
  #isUnresponsive = false;
  #startedAt = Number.NEGATIVE_INFINITY;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ModelLoadOptions) {
    this.#options = options;
  }

  /** Records that the server has just embedded a text. */
  noteLoaded(): void {
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
   * `isPatient`, once the load has taken `loadPatienceMs`. Throws immediately if the server does not respond. Throws
   * the error of the load if it fails.
   */
  async ready(signal: AbortSignal, isPatient: boolean): Promise<void> {
    const { limits } = this.#options;
    if (performance.now() - this.#loadedAt < limits.assumeLoadedMs) return;
    const loading = (this.#loading ??= this.#begin(performance.now()));
    if (this.#isUnresponsive) throw unresponsiveFailure();
    const patienceMs = Math.ceil(Math.max(0, this.#startedAt + limits.loadPatienceMs - performance.now()));
    const patience = isPatient ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    await unlessAborted(patience, loading).catch((error: unknown) => {
      throw patience.aborted ? loadingFailure(error) : error;
    });
  }

  /**
   * Called if the text that was sent at `sentAt` got no response in time: its request may be loading the model.
   * Resolves once the load is over and the request may be aborted. Until then `ready` treats it like any load of this
   * age.
   */
  async loadSettled(sentAt: number): Promise<void> {
    this.forget();
    await (this.#loading ??= this.#begin(sentAt)).catch(() => undefined);
  }

  #begin(startedAt: number): Promise<void> {
    this.#startedAt = startedAt;
    const loading = this.#load().finally(() => {
      this.#loading = null;
    });
    // All callers may have timed out.
    loading.catch(() => undefined);
    return loading;
  }

  /**
   * Repeats the request from time to time, because one can be lost. Aborts none before the first response: any of them
   * may be the one that keeps the load alive.
   */
  async #load(): Promise<void> {
    const { api, limits, closing, log, model } = this.#options;
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, closing, AbortSignal.timeout(limits.loadMs)]);
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
      done.abort();
      await Promise.allSettled(requests);
    }
  }

  /** Whether the server responds in time. Rejects if the request fails. */
  async #isResponding(signal: AbortSignal): Promise<boolean> {
    const timeout = AbortSignal.timeout(this.#options.limits.checkMs);
    try {
      await this.#options.api.tags(AbortSignal.any([signal, timeout]));
      return true;
    } catch (error) {
      if (timeout.aborted && !signal.aborted) return false;
      throw error;
    }
  }
}

export const loadingFailure = (cause?: unknown): OllamaFailure =>
  new OllamaFailure('loading', 'the model is being loaded', cause);

const unresponsiveFailure = (): OllamaFailure => new OllamaFailure('server', 'the server does not answer');
