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
  /** Aborted when nobody wants the model any more. */
  readonly closing: AbortSignal;
  readonly log: Log;
}

/**
 * Whether the server holds the model in memory. A load is given up by the server when the client leaves that began it; so it is
 * begun apart from every text, once at a time, and waited for by minutes, however many callers leave meanwhile.
 */
export class ModelLoad {
  readonly #options: ModelLoadOptions;
  #loading: Promise<void> | null = null;
  /** Whether the server answered nothing at all when it was looked at last. */
  #isSilent = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor(options: ModelLoadOptions) {
    this.#options = options;
  }

  /** It has just embedded. */
  noteLoaded(): void {
    this.#knownAt = performance.now();
  }

  /** It may be unloaded: whoever comes next asks the server. */
  forget(): void {
    this.#knownAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a load is under way, and the server answers at all. */
  get isUnderWay(): boolean {
    return this.#loading !== null && !this.#isSilent;
  }

  /**
   * Fulfilled where it is loaded. Throws a failure of kind `loading` where the signal is aborted before, or, for whoever is not
   * patient, once the load has taken `loadPatienceMs`; at once where the server does not answer; and whatever the load itself
   * throws.
   */
  async ready(signal: AbortSignal, isPatient: boolean): Promise<void> {
    const { limits } = this.#options;
    if (performance.now() - this.#knownAt < limits.loadKnownMs) return;
    const loading = (this.#loading ??= this.#begin());
    if (this.#isSilent) throw silence();
    const patienceMs = Math.ceil(Math.max(0, this.#begunAt + limits.loadPatienceMs - performance.now()));
    const patience = isPatient ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    await unlessAborted(patience, loading).catch((error: unknown) => {
      throw patience.aborted ? beingLoaded(error) : error;
    });
  }

  #begin(): Promise<void> {
    this.#begunAt = performance.now();
    const loading = this.#load().finally(() => {
      this.#loading = null;
    });
    // Whoever waited may have left.
    loading.catch(() => undefined);
    return loading;
  }

  /**
   * Asks again from time to time, for a request can be lost on its way; none is left before one is answered, as that could be the
   * one that loads.
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
        if (asked.length === 1) log.info({}, `Ollama loads the model ${model}`);
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

  /** Rejects where there is no server any more. */
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
