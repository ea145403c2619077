import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { OllamaLimits } from './limits.ts';
import type { OllamaApi } from './ollama-api.ts';
import { PullProgress } from './pull-progress.ts';

export interface ModelPullOptions {
  readonly api: OllamaApi;
  readonly model: string;
  readonly limits: Pick<OllamaLimits, 'progressLogIntervalMs' | 'pullStallMs' | 'pullPauseMs' | 'pullPauseMaxMs'>;
  readonly log: Log;
  /** Whether the model is still missing from the server: something else may have installed it. */
  readonly isMissing: (signal: AbortSignal) => Promise<boolean>;
}

/** Has the server pull the model in the background, one pull at a time, and retries until the model is installed. */
export class ModelPull {
  readonly #options: ModelPullOptions;
  readonly #closeController = new AbortController();
  #running: Promise<void> | null = null;
  #stage = '';

  constructor(options: ModelPullOptions) {
    this.#options = options;
  }

  /** The progress, as a predicate to follow the model's name. */
  get stage(): string {
    return this.#stage;
  }

  /** Begins to pull the model. Does nothing if a pull is already running. */
  begin(): void {
    if (this.#closeController.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async close(): Promise<void> {
    this.#closeController.abort(new Error('The embedder is closed'));
    await this.#running;
  }

  /** Pulls the model, with retries. Never rejects. */
  async #run(): Promise<void> {
    const { model, limits, log } = this.#options;
    const { signal } = this.#closeController;
    log.info({}, `Ollama has no model ${model}: pulling it now`);
    for (let pauseMs = limits.pullPauseMs; ; pauseMs = Math.min(limits.pullPauseMaxMs, pauseMs * 2)) {
      try {
        this.#stage = 'is being pulled';
        await this.#pull();
        if (await this.#isMissing()) throw new Error('The pull succeeded, but the server does not list the model');
        return log.info({}, `Ollama has pulled ${model}`);
      } catch (error) {
        if (signal.aborted) return;
        this.#stage = 'could not be pulled yet; retrying';
        const seconds = Math.ceil(pauseMs / 1_000);
        log.warn({ err: error }, `Ollama could not pull ${model}: retrying in ${seconds} s`);
      }
      // The pause rejects when the pull is closed.
      const isClosed = await setTimeout(pauseMs, false, { signal }).catch(() => true);
      if (isClosed || !(await this.#isMissing())) return;
    }
  }

  /**
   * Whether the model is missing. Assumes that it is if the server does not respond, in which case the next pull fails.
   */
  async #isMissing(): Promise<boolean> {
    return this.#options.isMissing(this.#closeController.signal).catch(() => true);
  }

  async #pull(): Promise<void> {
    const { api, limits, log, model } = this.#options;
    const stall = new AbortController();
    const startTimer = () =>
      globalThis.setTimeout(
        () => stall.abort(new Error(`No progress for ${limits.pullStallMs} ms`)),
        limits.pullStallMs,
      );
    let timer = startTimer();
    const progress = new PullProgress();
    let loggedAt = performance.now();
    try {
      for await (const step of api.pull(AbortSignal.any([this.#closeController.signal, stall.signal]))) {
        if (progress.record(step)) {
          clearTimeout(timer);
          timer = startTimer();
        }
        this.#stage = `is being pulled (${progress.text})`;
        if (performance.now() - loggedAt < limits.progressLogIntervalMs) continue;
        loggedAt = performance.now();
        log.info({}, `Ollama is pulling ${model}: ${progress.text}`);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
