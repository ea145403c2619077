import {
  createOutage,
  createSemaphore,
  FailureWindow,
  type RegisterCancel,
  type Log,
  type Outage,
  type Semaphore,
} from '@portico/dependencies';
import {
  PorticoError,
  TextRejectedError,
  type EmbeddedTexts,
  type Embedder,
  type EmbeddingPurpose,
} from '@portico/domain';
import { circuitBreaker, handleWhen, isBrokenCircuitError, isTaskCancelledError } from 'cockatiel';
import { Documents } from './documents.ts';
import { toPreviousVersionId, InstalledModel } from './installed-model.ts';
import { ollamaLimits, type OllamaLimits } from './limits.ts';
import { createLoadingFailure, ModelLoad } from './model-load.ts';
import { ModelPull } from './model-pull.ts';
import { cutTokens, queryTokensMax, shortQueryTokensMax, estimateTokens } from './model-text.ts';
import { createOllamaApi, type ModelOptions, type OllamaApi } from './ollama-api.ts';
import { createNotSentFailure, OllamaFailure, OllamaStatusError, type FailureKind } from './ollama-failure.ts';
import { PieceQueue } from './piece-queue.ts';
import { TextRequests, type EmbeddedText } from './text-requests.ts';
import { rejectOnAbort } from './reject-on-abort.ts';

export interface OllamaEmbedderOptions extends ModelOptions {
  /** The server's URL, such as `http://ollama:11434`; a name and password in it are sent as basic authentication. */
  readonly url: string;
  /** The server's name for the model, such as `nomic-embed-text`. */
  readonly model: string;
  /** Whether the server should pull a missing model. */
  readonly pull: boolean;
  /** The log, which never receives a text, only the length of a text. */
  readonly log: Log;
  /** Limits that override those in `ollamaLimits`. */
  readonly limits?: Partial<OllamaLimits>;
}

export interface OllamaEmbedder extends Embedder {
  /** The same embedder with low priority: the documents that it embeds wait a few seconds for other documents. */
  readonly lowPriority: Embedder;
  /**
   * The same embedder with the model id of the previous version, whose vectors are comparable: searches use it after an
   * update.
   */
  readonly previousVersion: Embedder;
  /** Aborts all requests, including a pull. */
  close(): Promise<void>;
}

/** Creates an embedder that uses a model on an Ollama server. Sends nothing before it is first used. */
export const createOllamaEmbedder = (options: OllamaEmbedderOptions): OllamaEmbedder =>
  new OllamaServerEmbedder(options);

/** The word that is embedded to check whether the server embeds at all. */
const testWord = 'Portico';

class OllamaServerEmbedder implements OllamaEmbedder {
  readonly lowPriority: Embedder;
  readonly previousVersion: Embedder;
  readonly #options: OllamaEmbedderOptions;
  readonly #limits: OllamaLimits;
  readonly #model: InstalledModel;
  readonly #load: ModelLoad;
  readonly #pull: ModelPull;
  readonly #texts: TextRequests;
  readonly #closeController = new AbortController();
  readonly #lanes: Readonly<Record<'short' | 'long', Semaphore>>;
  readonly #pieces: PieceQueue;
  readonly #documents: Documents;
  readonly #breakers;
  readonly #outage: Outage;
  /** Whether the server was busy or loading the model at the last attempt. */
  #isTransient = false;
  #busyLoggedAt = Number.NEGATIVE_INFINITY;
  /** The id of the model that computed the last valid vector. */
  #verifiedModelId: string | null = null;
  #verifying: Promise<EmbeddedTexts> | null = null;

  constructor(options: OllamaEmbedderOptions) {
    const { url, model, log } = options;
    const limits = { ...ollamaLimits, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#outage = createOutage(log, { recoveryMessage: 'Ollama can embed texts again' });
    const api: OllamaApi = createOllamaApi(url, model, options);
    this.#model = new InstalledModel({
      api,
      model,
      maxAgeMs: limits.modelIdMaxAgeMs,
      timeoutMs: limits.checkMs,
      onChange: (id, previousId) =>
        log.info(
          {},
          previousId ? `The embedding model is now ${id} (was ${previousId})` : `The embedding model is ${id}`,
        ),
    });
    this.#load = new ModelLoad({ api, model, limits, closeSignal: this.#closeController.signal, log });
    const isMissing = (signal: AbortSignal) => this.#model.fetchId(signal).then(() => false, isMissingModel);
    this.#pull = new ModelPull({ api, model, limits, log, isMissing });
    this.#texts = new TextRequests({ api, model, installedModel: this.#model, log });
    const { shortQueryConcurrency, waitingMax, longWaitingMax, pieceMs, pieceWaitMs, lowPriorityWaitMs } = limits;
    const createOverflowError = () => new OllamaFailure('busy', 'too many texts are waiting');
    this.#lanes = {
      short: createSemaphore({ concurrency: shortQueryConcurrency, waitingMax, createOverflowError }),
      long: createSemaphore({ concurrency: 1, waitingMax: longWaitingMax, createOverflowError }),
    };
    this.#pieces = new PieceQueue({
      send: (text) => this.#breakers.document.execute(() => this.#send(text, 'document', this.#createSignal(pieceMs))),
      waitingMax,
      pieceWaitMs,
      lowPriorityWaitMs,
    });
    this.#documents = new Documents((text, signal, isLowPriority) => this.#pieces.embed(text, signal, isLowPriority));
    this.#breakers = { query: createBreaker(limits), document: createBreaker(limits) };
    const check = () => this.check();
    this.lowPriority = {
      getModelId: () => this.getModelId(),
      embed: (texts, purpose) => this.#embed(texts, purpose, true),
      check,
    };
    this.previousVersion = {
      getModelId: async () => toPreviousVersionId(this.#model.lastId ?? (await this.getModelId())),
      embed: async (texts, purpose) => {
        const { modelId, vectors } = await this.embed(texts, purpose);
        return { modelId: toPreviousVersionId(modelId), vectors };
      },
      check,
    };
  }

  async getModelId(): Promise<string> {
    try {
      return await this.#model.getId();
    } catch (error) {
      this.#recordFailure(error);
      if (this.#model.lastId !== null) return this.#model.lastId;
      throw toUnavailableError(error);
    }
  }

  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts> {
    return this.#embed(texts, purpose, false);
  }

  async #embed(texts: readonly string[], purpose: EmbeddingPurpose, isLowPriority: boolean): Promise<EmbeddedTexts> {
    if (texts.length === 0) return { modelId: await this.getModelId(), vectors: [] };
    try {
      const result = await (purpose === 'query'
        ? this.#embedQueries(texts)
        : this.#embedDocuments(texts, isLowPriority));
      this.#recordSuccess(result.modelId);
      return result;
    } catch (error) {
      this.#recordFailure(error);
      if (purpose === 'query') throw toUnavailableError(error);
      if (error instanceof OllamaFailure && error.kind === 'text') throw new TextRejectedError(error.message, error);
      throw toUnavailableError(error, this.#describe(error));
    }
  }

  /**
   * Checks that the server responds and has the model. Embeds a word only if the last attempt failed or the model is
   * new. If that takes longer than the check's timeout, it continues in the background and its outcome is logged.
   */
  async check(): Promise<void> {
    const signal = this.#createSignal(this.#limits.checkMs);
    try {
      const id = await this.#model.fetchId(signal);
      if (this.#verifiedModelId === id && this.#outage.kind === null && !this.#isTransient) return;
      await this.#load.ensureLoaded(signal, false);
      this.#verifying ??= this.embed([testWord], 'document').finally(() => {
        this.#verifying = null;
      });
      await rejectOnAbort(signal, this.#verifying).catch((error: unknown) => {
        throw kindOf(error) === 'server' ? createVerifyingFailure(error) : error;
      });
    } catch (error) {
      this.#recordFailure(error);
      const cause = error instanceof PorticoError ? error.cause : error;
      throw toUnavailableError(cause, this.#describe(cause));
    }
  }

  async close(): Promise<void> {
    this.#closeController.abort(new OllamaFailure('closed', 'The embedder is closed'));
    await this.#pull.close();
  }

  #createSignal(timeoutMs: number): AbortSignal {
    return AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closeController.signal]);
  }

  /**
   * Embeds a query. Fails immediately if the breaker is open or the queue is full. Long queries have a separate queue,
   * so that they do not delay short ones.
   */
  #embedQueries(texts: readonly string[]): Promise<EmbeddedTexts> {
    const { queryMs, queryWaitMs } = this.#limits;
    const signal = this.#createSignal(queryMs);
    const truncatedTexts = texts.map((text) => cutTokens(text, queryTokensMax));
    const isLong = truncatedTexts.reduce((sum, text) => sum + estimateTokens(text), 0) > shortQueryTokensMax;
    const lane = this.#lanes[isLong ? 'long' : 'short'];
    const send = () => embedWithOneModel(truncatedTexts, (text) => this.#send(text, 'query', signal));
    const request = this.#breakers.query.execute(() => lane(send, cancelAfter(queryWaitMs)), signal);
    return this.#pieces.runQuery(() => this.#waitForVectors(request, signal, queryMs));
  }

  #embedDocuments(texts: readonly string[], isLowPriority: boolean): Promise<EmbeddedTexts> {
    const { documentsMs } = this.#limits;
    const signal = this.#createSignal(documentsMs);
    const embedding = embedWithOneModel(texts, (text) => this.#documents.embed(text, signal, isLowPriority));
    return this.#waitForVectors(embedding, signal, documentsMs);
  }

  /**
   * Waits for vectors until the signal is aborted. Our own timeout does not show whether the server is unavailable:
   * `#explainTimeout` determines that.
   */
  async #waitForVectors(
    embedding: Promise<EmbeddedTexts>,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<EmbeddedTexts> {
    try {
      return await rejectOnAbort(signal, embedding);
    } catch (error) {
      if (!signal.aborted || this.#closeController.signal.aborted || error !== signal.reason) throw error;
      if (this.#load.isLoading) throw createLoadingFailure(error);
      throw new OllamaFailure('busy', `no vector was returned within ${timeoutMs} ms`, error);
    }
  }

  /**
   * Sends a text. `signal` limits only the wait for the response. The request itself continues while it may be loading
   * the model, because the server would abandon the load if the request were aborted.
   */
  async #send(text: string, purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedText> {
    if (signal.aborted) throw this.#closeController.signal.aborted ? signal.reason : createNotSentFailure();
    const controller = new AbortController();
    let sentAt = performance.now();
    try {
      await this.#load.ensureLoaded(signal, purpose === 'document');
      sentAt = performance.now();
      const request = this.#texts.embed(
        text,
        purpose,
        AbortSignal.any([controller.signal, this.#closeController.signal]),
      );
      const result = await rejectOnAbort(signal, request);
      this.#load.markLoaded();
      return result;
    } catch (error) {
      if (this.#closeController.signal.aborted || kindOf(error) !== 'server') throw error;
      // An invalid response does not show that the model has been unloaded.
      if (!(error instanceof OllamaFailure) || error instanceof OllamaStatusError) this.#load.forget();
      if (!signal.aborted) throw error;
      void this.#load.waitForLoad(sentAt).then(() => controller.abort());
      throw await this.#explainTimeout(error);
    }
  }

  /**
   * Returns an error that explains why a request timed out: the server is busy if it responds to a different request,
   * otherwise it is unavailable.
   */
  async #explainTimeout(cause: unknown): Promise<unknown> {
    try {
      await this.#model.fetchId(this.#createSignal(this.#limits.checkMs));
      return new OllamaFailure('busy', 'no vector was returned in time', cause);
    } catch (error) {
      this.#recordFailure(error);
      return error;
    }
  }

  #recordSuccess(modelId: string): void {
    this.#verifiedModelId = modelId;
    this.#isTransient = false;
    this.#outage.end();
  }

  /** Records a failure. Logs it only if it is known to be a failure of the server. */
  #recordFailure(error: unknown): void {
    const kind = kindOf(error);
    if (kind === null || kind === 'text' || kind === 'undetermined' || kind === 'closed') return;
    if (kind === 'missing' && this.#options.pull) this.#pull.begin();
    const message = `Ollama cannot embed texts: ${this.#describe(error)}`;
    if (kind !== 'busy' && kind !== 'loading') this.#outage.start({ kind, message, fields: { err: error } });
    else if (this.#outage.kind === null) {
      if (kind === 'busy') this.#warnBusy(message, error);
      this.#isTransient = true;
    }
  }

  /**
   * Logs that the server is busy, but only once in a while, because this may happen many times a minute. Loading is
   * logged elsewhere.
   */
  #warnBusy(message: string, error: unknown): void {
    const now = performance.now();
    if (this.#isTransient || now - this.#busyLoggedAt < this.#limits.busyLogIntervalMs) return;
    this.#busyLoggedAt = now;
    this.#options.log.warn({ err: error }, message);
  }

  /** Returns a description that is safe to publish: the server's own message may contain an address. */
  #describe(error: unknown): string {
    const { model, pull } = this.#options;
    const kind = kindOf(error);
    if (kind === 'missing') {
      return pull ? `the model ${model} ${this.#pull.stage}` : `the model is missing, run: ollama pull ${model}`;
    }
    if (error instanceof OllamaStatusError) return `Ollama responded with ${error.status}`;
    if (error instanceof OllamaFailure) return kind === 'busy' ? `the server is busy: ${error.message}` : error.message;
    return kind === null ? 'it failed repeatedly' : 'the server does not respond';
  }
}

const createBreaker = ({ breakerOpenMs, failuresMax, failuresWithinMs }: OllamaLimits) =>
  circuitBreaker(
    handleWhen((error) => kindOf(error) === 'server' || kindOf(error) === 'dimension'),
    {
      halfOpenAfter: breakerOpenMs,
      breaker: new FailureWindow({ failuresMax, withinMs: failuresWithinMs, consecutive: true }),
    },
  );

/**
 * When to retry after a failure. Embedding the previous text takes only seconds; the duration of a load depends on the
 * disk.
 */
const retryAfterSeconds: Partial<Record<FailureKind, number>> = { busy: 2, loading: 10 };

const toUnavailableError = (cause: unknown, reason?: string): PorticoError => {
  if (cause instanceof PorticoError) return cause;
  const kind = kindOf(cause);
  const seconds = kind === null ? undefined : retryAfterSeconds[kind];
  return new PorticoError('embedding_unavailable', {
    cause,
    ...(reason === undefined ? {} : { reason }),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
};

const createVerifyingFailure = (cause: unknown): OllamaFailure =>
  new OllamaFailure('undetermined', 'a test embedding is still running', cause);

/** Embeds texts one after the other. Throws if the model changes in between. */
const embedWithOneModel = async (
  texts: readonly string[],
  embed: (text: string) => Promise<EmbeddedText>,
): Promise<EmbeddedTexts> => {
  const vectors: Float32Array[] = [];
  let id: string | null = null;
  for (const text of texts) {
    const { modelId, vector } = await embed(text);
    if (modelId !== (id ??= modelId)) throw new OllamaFailure('server', 'The Ollama model changed between two texts');
    vectors.push(vector);
  }
  return { modelId: id ?? '', vectors };
};

const isMissingModel = (error: unknown): boolean => {
  if (kindOf(error) === 'missing') return true;
  throw error;
};

/**
 * Returns the kind of a failure; null if nothing was sent because the breaker is open, or if the failure has already
 * been reported.
 */
const kindOf = (error: unknown): FailureKind | null => {
  if (error instanceof OllamaFailure) return error.kind;
  if (error instanceof PorticoError || error instanceof TextRejectedError) return null;
  return isBrokenCircuitError(error) || isTaskCancelledError(error) ? null : 'server';
};

/** Removes a text that has waited for this long from the queue without sending it, and fails it as `busy`. */
const cancelAfter =
  (waitMs: number): RegisterCancel =>
  (cancel) => {
    const timer = setTimeout(
      () => cancel(new OllamaFailure('busy', `the text was not sent within ${waitMs} ms`)),
      waitMs,
    );
    return () => clearTimeout(timer);
  };
