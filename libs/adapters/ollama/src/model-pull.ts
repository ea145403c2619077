import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { OllamaLimits } from './limits.ts';
import type { OllamaApi } from './ollama-api.ts';
import { PullProgress } from './pull-progress.ts';

export interface ModelPullOptions {
  readonly api: OllamaApi;
  readonly model: string;
  readonly limits: Pick<OllamaLimits, 'progressMs' | 'pullSilenceMs' | 'pullPauseMs' | 'pullPauseMaxMs'>;
  readonly log: Log;
  /** Whether the server lacks the model still: somebody else may have brought it. */
  readonly isMissing: (signal: AbortSignal) => Promise<boolean>;
}

/** Lets the server pull the model in the background, once at a time, again and again until it is there. */
export class ModelPull {
  readonly #options: ModelPullOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  #stage = '';

  constructor(options: ModelPullOptions) {
    this.#options = options;
  }

  /** How far it is, as part of a sentence. */
  get stage(): string {
    return this.#stage;
  }

  /** Does nothing while it is under way. */
  begin(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The embedder is closed'));
    await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { model, limits, log } = this.#options;
    const { signal } = this.#closing;
    log.info({}, `Ollama has no model ${model}; it is being pulled`);
    for (let pauseMs = limits.pullPauseMs; ; pauseMs = Math.min(limits.pullPauseMaxMs, pauseMs * 2)) {
      try {
        this.#stage = 'is being pulled';
        await this.#pull();
        if (await this.#isMissing()) throw new Error('The pull succeeded, and the server does not list the model');
        return log.info({}, `Ollama has pulled ${model}`);
      } catch (error) {
        if (signal.aborted) return;
        this.#stage = 'could not be pulled, which is tried again';
        const seconds = Math.ceil(pauseMs / 1_000);
        log.warn({ err: error }, `Ollama could not pull ${model}; next try in ${seconds} s`);
      }
      // Rejects when closed.
      const isOver = await setTimeout(pauseMs, false, { signal }).catch(() => true);
      if (isOver || !(await this.#isMissing())) return;
    }
  }

  /** Where it cannot be told, pulling is what finds out. */
  async #isMissing(): Promise<boolean> {
    return this.#options.isMissing(this.#closing.signal).catch(() => true);
  }

  async #pull(): Promise<void> {
    const { api, limits, log, model } = this.#options;
    const silence = new AbortController();
    const restart = () =>
      globalThis.setTimeout(
        () => silence.abort(new Error(`Nothing has come for ${limits.pullSilenceMs} ms`)),
        limits.pullSilenceMs,
      );
    let timer = restart();
    const progress = new PullProgress();
    let toldAt = performance.now();
    try {
      for await (const step of api.pull(AbortSignal.any([this.#closing.signal, silence.signal]))) {
        if (progress.note(step)) {
          clearTimeout(timer);
          timer = restart();
        }
        this.#stage = `is being pulled (${progress.said})`;
        if (performance.now() - toldAt < limits.progressMs) continue;
        toldAt = performance.now();
        log.info({}, `Ollama pulls ${model}: ${progress.said}`);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
