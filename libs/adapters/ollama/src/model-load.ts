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
    'loadMs' | 'loadPatienceMs' | 'loadKnownMs' | 'loadLookMs' | 'loadLookMaxMs' | 'checkMs'
  >;
  /** Aborted when the embedder closes. */
  readonly closing: AbortSignal;
  readonly log: Log;
}

/**
 * Tracks whether the server has the model in memory. The server abandons a load when the client that started it
 * disconnects. So a load is started apart from any text, one at a time, and may take minutes, however many callers time
 * out meanwhile. If a text finds the model unloaded unexpectedly, its request goes on until the load is over.
 */
export class ModelLoad {
  readonly #options: ModelLoadOptions;
  #loading: Promise<void> | null = null;
  /** Whether the last check of the server got no response. */
  #isSilent = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor(options: ModelLoadOptions) {
    this.#options = options;
  }

  /** The server has just embedded a text. */
  noteLoaded(): void {
    this.#knownAt = performance.now();
  }

  /** The model may be unloaded: the next caller asks the server. */
  forget(): void {
    this.#knownAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a load is under way and the server responds. */
  get isUnderWay(): boolean {
    return this.#loading !== null && !this.#isSilent;
  }

  /**
   * Resolves once the model is loaded. Throws a failure of kind `loading` if the signal is aborted first or, unless
   * `isPatient`, once the load has taken `loadPatienceMs`. Throws at once if the server does not respond, and whatever
   * the load itself throws.
   */
  async ready(signal: AbortSignal, isPatient: boolean): Promise<void> {
    const { limits } = this.#options;
    if (performance.now() - this.#knownAt < limits.loadKnownMs) return;
    const loading = (this.#loading ??= this.#begin(performance.now()));
    if (this.#isSilent) throw silence();
    const patienceMs = Math.ceil(Math.max(0, this.#begunAt + limits.loadPatienceMs - performance.now()));
    const patience = isPatient ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    await unlessAborted(patience, loading).catch((error: unknown) => {
      throw patience.aborted ? beingLoaded(error) : error;
    });
  }

  /**
   * A text that was sent at `sentAt` got no answer in time: its request may be what loads the model. Resolves once that
   * is over, so that the request may end; until then `ready` has no more patience than with any load of this age.
   */
  async overAfter(sentAt: number): Promise<void> {
    this.forget();
    await (this.#loading ??= this.#begin(sentAt)).catch(() => undefined);
  }

  #begin(begunAt: number): Promise<void> {
    this.#begunAt = begunAt;
    const loading = this.#load().finally(() => {
      this.#loading = null;
    });
    // All callers may have timed out.
    loading.catch(() => undefined);
    return loading;
  }

  /**
   * Repeats the request from time to time, since one can be lost. Aborts none before one is answered: it could be the
   * one that keeps the load alive.
   */
  async #load(): Promise<void> {
    const { api, limits, closing, log, model } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, closing, AbortSignal.timeout(limits.loadMs)]);
    const asked: Promise<true>[] = [];
    try {
      for (let pauseMs = limits.loadLookMs; ; pauseMs = Math.min(limits.loadLookMaxMs, pauseMs * 2)) {
        if (!this.#isSilent) asked.push(api.load(signal).then(() => true));
        const pause = setTimeout(this.#isSilent ? limits.loadLookMs : pauseMs, false, { signal });
        if (await Promise.race([...asked, pause])) break;
        if (asked.length === 1) log.info({}, `Ollama is loading the model ${model}`);
        this.#isSilent = !(await this.#answers(signal));
      }
      this.#knownAt = performance.now();
      if (asked.length > 1) log.info({}, `Ollama has loaded the model ${model}`);
    } finally {
      this.#isSilent = false;
      over.abort();
      await Promise.allSettled(asked);
    }
  }

  /** Rejects if the server is gone. */
  async #answers(signal: AbortSignal): Promise<boolean> {
    const inTime = AbortSignal.timeout(this.#options.limits.checkMs);
    try {
      await this.#options.api.tags(AbortSignal.any([signal, inTime]));
      return true;
    } catch (error) {
      if (inTime.aborted && !signal.aborted) return false;
      throw error;
    }
  }
}

export const beingLoaded = (cause?: unknown): OllamaFailure =>
  new OllamaFailure('loading', 'the model is being loaded', cause);

const silence = (): OllamaFailure => new OllamaFailure('server', 'the server does not answer');
