import { PorticoError, type EmbeddedTexts, type Embedder, type EmbeddingPurpose } from '@portico/domain';
import {
  bulkhead,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  isTaskCancelledError,
} from 'cockatiel';
import { FailuresInARow } from './failures-in-a-row.ts';
import { GatheredDocuments } from './gathered-documents.ts';
import { InstalledModel } from './installed-model.ts';
import { batchSize, ollamaLimits, type OllamaLimits } from './limits.ts';
import { ModelPull } from './model-pull.ts';
import { cutText, prefixOf, textUnitsMax, textUnitsMin } from './model-text.ts';
import { createOllamaApi, type OllamaApi } from './ollama-api.ts';
import { OllamaFailure, OllamaRefusal, type FailureKind } from './ollama-failure.ts';
import { readVectors } from './read-vectors.ts';

export interface OllamaEmbedderOptions {
  /** Of the server, such as `http://ollama:11434`; a name and password in it are sent as basic authentication. */
  readonly url: string;
  /** As the server names it, such as `nomic-embed-text`. */
  readonly model: string;
  /** Whether the server is told to pull the model where it lacks it. */
  readonly pull: boolean;
  /** Told once when it stops working, or for another reason than before, and of each pull that fails. */
  readonly warn: (message: string, error: unknown) => void;
  /** Told of the model, of the progress of a pull, and when it works again. */
  readonly info: (message: string) => void;
  /** Told of texts that were cut: how long they were, never what they say. */
  readonly debug?: (message: string) => void;
  /** Each in place of that of `ollamaLimits`. */
  readonly limits?: Partial<OllamaLimits>;
}

export interface OllamaEmbedder extends Embedder {
  /** Ends what is under way, a pull included. */
  close(): Promise<void>;
}

/** Embeds by a model that an Ollama server runs. Nothing is asked of the server before it is first used. */
export const createOllamaEmbedder = (options: OllamaEmbedderOptions): OllamaEmbedder =>
  new OllamaServerEmbedder(options);

class OllamaServerEmbedder implements OllamaEmbedder {
  readonly #options: OllamaEmbedderOptions;
  readonly #limits: OllamaLimits;
  readonly #api: OllamaApi;
  readonly #model: InstalledModel;
  readonly #pull: ModelPull;
  readonly #closing = new AbortController();
  readonly #requests;
  readonly #documents: GatheredDocuments;
  readonly #breaker;
  /** Why it does not work; null while it does or was not tried. */
  #trouble: FailureKind | null = null;
  /** The model of the last vector that was good. */
  #proven: string | null = null;
  #proving: Promise<EmbeddedTexts> | null = null;

  constructor(options: OllamaEmbedderOptions) {
    const { url, model, warn, info } = options;
    const limits = { ...ollamaLimits, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#api = createOllamaApi(url, model);
    this.#model = new InstalledModel({
      api: this.#api,
      model,
      rememberedMs: limits.rememberedMs,
      lookMs: limits.queryMs,
      onChange: (id, before) =>
        info(before ? `The embedding model is now ${id}, it was ${before}` : `The embedding model is ${id}`),
    });
    const isMissing = (signal: AbortSignal) => this.#model.look(signal).then(() => false, isMissingModel);
    this.#pull = new ModelPull({ api: this.#api, model, limits, warn, info, isMissing });
    this.#requests = bulkhead(limits.concurrent, limits.waiting);
    this.#documents = new GatheredDocuments({
      send: (texts, signal) => this.#request(texts, 'document', signal),
      requestMs: limits.documentsRequestMs,
      waiting: limits.waiting,
    });
    this.#breaker = circuitBreaker(
      handleWhen((error) => isServerAtFault(error)),
      { halfOpenAfter: limits.breakMs, breaker: new FailuresInARow(limits.failures, limits.failuresWithinMs) },
    );
  }

  async modelId(): Promise<string> {
    try {
      return await this.#model.recent();
    } catch (error) {
      this.#noteFailure(error);
      if (this.#model.known !== null) return this.#model.known;
      throw unavailable(error);
    }
  }

  async embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts> {
    if (texts.length === 0) return { modelId: await this.modelId(), vectors: [] };
    try {
      const embedded = await this.#inTurn(texts, purpose);
      this.#noteSuccess(embedded.modelId);
      return embedded;
    } catch (error) {
      this.#noteFailure(error);
      throw unavailable(error);
    }
  }

  /**
   * That the server answers and has the model is looked at each time; that it embeds only where the last try failed, or
   * the model is new: a vector is made then. Where that takes longer than the check may, as while the model is loaded, it
   * goes on and tells itself what comes of it.
   */
  async check(): Promise<void> {
    const signal = this.#signal(this.#limits.checkMs);
    try {
      const id = await this.#model.look(signal);
      if (this.#proven === id && this.#trouble === null) return;
      this.#proving ??= this.embed(['Portico'], 'document').finally(() => {
        this.#proving = null;
      });
      await unlessAborted(signal, this.#proving).catch((error: unknown) => {
        throw kindOf(error) === 'server' ? stillTried(error) : error;
      });
    } catch (error) {
      this.#noteFailure(error);
      const cause = error instanceof PorticoError ? error.cause : error;
      throw new PorticoError('embedding_unavailable', { because: this.#describe(cause), cause });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new OllamaFailure('closed', 'The embedder is closed'));
    await this.#pull.close();
  }

  #signal(limitMs: number): AbortSignal {
    return AbortSignal.any([AbortSignal.timeout(limitMs), this.#closing.signal]);
  }

  /** Within the time limit, all waiting included; at once where too many wait. */
  async #inTurn(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts> {
    const { queryMs, documentsMs } = this.#limits;
    const signal = this.#signal(purpose === 'query' ? queryMs : documentsMs);
    const embedded = purpose === 'query' ? this.#request(texts, purpose, signal) : this.#documents.embed(texts, signal);
    return unlessAborted(signal, embedded);
  }

  /** At once where the breaker is open. */
  #request(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedTexts> {
    const embed = () => unlessAborted(signal, this.#embedByOneModel(texts, purpose, signal));
    return this.#breaker.execute(() => this.#requests.execute(embed, signal), signal);
  }

  /**
   * The server does not say which version of a model made a vector. So it is asked afterwards: where that is the one that
   * was known before, it made them; where not, they are made anew.
   */
  async #embedByOneModel(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
  ): Promise<EmbeddedTexts> {
    let modelId = this.#model.known ?? (await this.#model.look(signal));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const vectors = await this.#embedAll(texts, purpose, signal);
      const after = await this.#model.look(signal);
      if (after === modelId) return { modelId, vectors };
      modelId = after;
    }
    throw new OllamaFailure('server', 'The model of Ollama changed again and again while texts were embedded');
  }

  async #embedAll(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      const batch = texts.slice(start, start + batchSize);
      vectors.push(...(await this.#embedBatch(batch, purpose, signal, textUnitsMax)));
    }
    return vectors;
  }

  /** One text that is too long fails its whole batch: then each is tried alone, and cut in half until it is taken. */
  async #embedBatch(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    unitsMax: number,
  ): Promise<Float32Array[]> {
    const prefix = prefixOf(this.#options.model, purpose);
    const cut = texts.map((text) => cutText(text, unitsMax));
    try {
      const answer = await this.#api.embed(
        cut.map((text) => prefix + text),
        signal,
      );
      const vectors = readVectors(answer, texts.length, this.#options.model);
      texts.forEach((text, i) => this.#noteCut(text.length, cut[i]?.length ?? 0));
      return vectors;
    } catch (error) {
      if (!(error instanceof OllamaRefusal && error.isTextTooLong)) throw error;
      const [text = '', ...more] = cut;
      if (more.length > 0) {
        const vectors: Float32Array[] = [];
        for (const one of texts) vectors.push(...(await this.#embedBatch([one], purpose, signal, unitsMax)));
        return vectors;
      }
      if (text.length <= textUnitsMin) {
        throw new OllamaFailure('text', `A text of ${text.length} UTF-16 units is too long for the model`, error);
      }
      return this.#embedBatch(texts, purpose, signal, text.length >> 1);
    }
  }

  #noteCut(units: number, left: number): void {
    if (left < units) this.#options.debug?.(`A text of ${units} UTF-16 units was cut to ${left} for the model`);
  }

  #noteSuccess(modelId: string): void {
    this.#proven = modelId;
    if (this.#trouble !== null) this.#options.info('Ollama embeds again');
    this.#trouble = null;
  }

  /** Of failures that are known already nothing is told, nor of those that are no fault of the server, or not known to be. */
  #noteFailure(error: unknown): void {
    const kind = kindOf(error);
    if (kind === null || kind === 'text' || kind === 'untold' || kind === 'closed') return;
    if (kind === 'missing' && this.#options.pull) this.#pull.begin();
    if (this.#trouble !== kind) this.#options.warn(`Ollama does not embed: ${this.#describe(error)}`, error);
    this.#trouble = kind;
  }

  /** What is going on, for everybody: what the server says of a refusal may name an address within. */
  #describe(error: unknown): string {
    const { model, pull } = this.#options;
    const kind = kindOf(error);
    if (kind === 'missing') {
      return pull ? `the model ${model} ${this.#pull.stage}` : `the model is missing, run: ollama pull ${model}`;
    }
    if (error instanceof OllamaRefusal) return `Ollama answered ${error.status}`;
    if (error instanceof OllamaFailure) return error.message;
    return kind === null ? 'it failed again and again, or too many wait' : 'the server does not answer';
  }
}

const unavailable = (cause: unknown): PorticoError =>
  cause instanceof PorticoError ? cause : new PorticoError('embedding_unavailable', { cause });

const stillTried = (cause: unknown): OllamaFailure =>
  new OllamaFailure('untold', 'whether it embeds is being tried', cause);

const isMissingModel = (error: unknown): boolean => {
  if (kindOf(error) === 'missing') return true;
  throw error;
};

const isServerAtFault = (error: unknown): boolean => kindOf(error) === 'server' || kindOf(error) === 'dimension';

/** Null for what was never sent: the breaker is open, too many wait, or it was told already. */
const kindOf = (error: unknown): FailureKind | null => {
  if (error instanceof OllamaFailure) return error.kind;
  if (error instanceof PorticoError) return null;
  const isUnsent = isBrokenCircuitError(error) || isBulkheadRejectedError(error) || isTaskCancelledError(error);
  return isUnsent ? null : 'server';
};

/** The promise, unless the signal is aborted first: whoever waits is not kept by what does not listen to it. */
const unlessAborted = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
};
