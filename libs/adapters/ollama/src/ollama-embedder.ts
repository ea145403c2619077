import {
  createOutage,
  createSemaphore,
  FailureWindow,
  type Leave,
  type Log,
  type Outage,
  type Semaphore,
} from '@portico/dependencies';
import {
  PorticoError,
  TextRefusedError,
  type EmbeddedTexts,
  type Embedder,
  type EmbeddingPurpose,
} from '@portico/domain';
import { circuitBreaker, handleWhen, isBrokenCircuitError, isTaskCancelledError } from 'cockatiel';
import { Documents } from './documents.ts';
import { earlierId, InstalledModel } from './installed-model.ts';
import { ollamaLimits, type OllamaLimits } from './limits.ts';
import { beingLoaded, ModelLoad } from './model-load.ts';
import { ModelPull } from './model-pull.ts';
import { cutTokens, queryTokensMax, shortQueryTokensMax, tokensOf } from './model-text.ts';
import { createOllamaApi, type ModelOptions, type OllamaApi } from './ollama-api.ts';
import { notSentInTime, OllamaFailure, OllamaRefusal, type FailureKind } from './ollama-failure.ts';
import { PieceQueue } from './piece-queue.ts';
import { TextRequests, type EmbeddedText } from './text-requests.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface OllamaEmbedderOptions extends ModelOptions {
  /** The server's URL, such as `http://ollama:11434`; a name and password in it are sent as basic authentication. */
  readonly url: string;
  /** As the server names it, such as `nomic-embed-text`. */
  readonly model: string;
  /** Whether to have the server pull a missing model. */
  readonly pull: boolean;
  /** Never receives a text, only its length. */
  readonly log: Log;
  /** Overrides values of `ollamaLimits`. */
  readonly limits?: Partial<OllamaLimits>;
}

export interface OllamaEmbedder extends Embedder {
  /** The same, except that its documents wait while others do, for some seconds. */
  readonly behind: Embedder;
  /** The same under the id of the version before, whose vectors can be compared: searches use them after an update. */
  readonly earlier: Embedder;
  /** Ends all requests, a pull included. */
  close(): Promise<void>;
}

/** Embeds with a model that an Ollama server runs. Sends nothing before it is first used. */
export const createOllamaEmbedder = (options: OllamaEmbedderOptions): OllamaEmbedder =>
  new OllamaServerEmbedder(options);

/** Embedded to find out whether the server embeds at all. */
const word = 'Portico';

class OllamaServerEmbedder implements OllamaEmbedder {
  readonly behind: Embedder;
  readonly earlier: Embedder;
  readonly #options: OllamaEmbedderOptions;
  readonly #limits: OllamaLimits;
  readonly #model: InstalledModel;
  readonly #load: ModelLoad;
  readonly #pull: ModelPull;
  readonly #texts: TextRequests;
  readonly #closing = new AbortController();
  readonly #lanes: Readonly<Record<'short' | 'long', Semaphore>>;
  readonly #pieces: PieceQueue;
  readonly #documents: Documents;
  readonly #breakers;
  readonly #outage: Outage;
  /** Whether it was busy or loading the model at the last attempt. */
  #isPassing = false;
  #busyToldAt = Number.NEGATIVE_INFINITY;
  /** The model of the last valid vector. */
  #proven: string | null = null;
  #proving: Promise<EmbeddedTexts> | null = null;

  constructor(options: OllamaEmbedderOptions) {
    const { url, model, log } = options;
    const limits = { ...ollamaLimits, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#outage = createOutage(log, { back: 'Ollama embeds again' });
    const api: OllamaApi = createOllamaApi(url, model, options);
    this.#model = new InstalledModel({
      api,
      model,
      rememberedMs: limits.rememberedMs,
      lookMs: limits.checkMs,
      onChange: (id, before) =>
        log.info({}, before ? `The embedding model is now ${id} (was ${before})` : `The embedding model is ${id}`),
    });
    this.#load = new ModelLoad({ api, model, limits, closing: this.#closing.signal, log });
    const isMissing = (signal: AbortSignal) => this.#model.look(signal).then(() => false, isMissingModel);
    this.#pull = new ModelPull({ api, model, limits, log, isMissing });
    this.#texts = new TextRequests({ api, model, installed: this.#model, log });
    const { shortQueries, waiting, longWaiting, pieceMs, pieceWaitMs, behindMs } = limits;
    const overfull = () => new OllamaFailure('busy', 'too many texts are waiting');
    this.#lanes = {
      short: createSemaphore({ concurrency: shortQueries, waitingMax: waiting, overfull }),
      long: createSemaphore({ concurrency: 1, waitingMax: longWaiting, overfull }),
    };
    this.#pieces = new PieceQueue({
      send: (text) => this.#breakers.document.execute(() => this.#send(text, 'document', this.#signal(pieceMs))),
      waitingMax: waiting,
      pieceWaitMs,
      behindMs,
    });
    this.#documents = new Documents((text, signal, isBehind) => this.#pieces.embed(text, signal, isBehind));
    this.#breakers = { query: breakerOf(limits), document: breakerOf(limits) };
    const check = () => this.check();
    this.behind = {
      modelId: () => this.modelId(),
      embed: (texts, purpose) => this.#embed(texts, purpose, true),
      check,
    };
    this.earlier = {
      modelId: async () => earlierId(this.#model.known ?? (await this.modelId())),
      embed: async (texts, purpose) => {
        const { modelId, vectors } = await this.embed(texts, purpose);
        return { modelId: earlierId(modelId), vectors };
      },
      check,
    };
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

  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<EmbeddedTexts> {
    return this.#embed(texts, purpose, false);
  }

  async #embed(texts: readonly string[], purpose: EmbeddingPurpose, isBehind: boolean): Promise<EmbeddedTexts> {
    if (texts.length === 0) return { modelId: await this.modelId(), vectors: [] };
    try {
      const embedded = await (purpose === 'query' ? this.#query(texts) : this.#document(texts, isBehind));
      this.#noteSuccess(embedded.modelId);
      return embedded;
    } catch (error) {
      this.#noteFailure(error);
      if (purpose === 'query') throw unavailable(error);
      if (error instanceof OllamaFailure && error.kind === 'text') throw new TextRefusedError(error.message, error);
      throw unavailable(error, this.#describe(error));
    }
  }

  /**
   * Checks each time that the server answers and has the model. Embeds a word only if the last attempt failed or the
   * model is new. If that exceeds the check's timeout, it continues and logs its own outcome.
   */
  async check(): Promise<void> {
    const signal = this.#signal(this.#limits.checkMs);
    try {
      const id = await this.#model.look(signal);
      if (this.#proven === id && this.#outage.kind === null && !this.#isPassing) return;
      await this.#load.ready(signal, false);
      this.#proving ??= this.embed([word], 'document').finally(() => {
        this.#proving = null;
      });
      await unlessAborted(signal, this.#proving).catch((error: unknown) => {
        throw kindOf(error) === 'server' ? stillTried(error) : error;
      });
    } catch (error) {
      this.#noteFailure(error);
      const cause = error instanceof PorticoError ? error.cause : error;
      throw unavailable(cause, this.#describe(cause));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new OllamaFailure('closed', 'The embedder is closed'));
    await this.#pull.close();
  }

  #signal(limitMs: number): AbortSignal {
    return AbortSignal.any([AbortSignal.timeout(limitMs), this.#closing.signal]);
  }

  /** Fails at once if the breaker is open or too many wait. Long queries queue apart, so as not to hold up short ones. */
  #query(texts: readonly string[]): Promise<EmbeddedTexts> {
    const { queryMs, queryWaitMs } = this.#limits;
    const signal = this.#signal(queryMs);
    const cut = texts.map((text) => cutTokens(text, queryTokensMax));
    const isLong = cut.reduce((sum, text) => sum + tokensOf(text), 0) > shortQueryTokensMax;
    const lane = this.#lanes[isLong ? 'long' : 'short'];
    const send = () => byOneModel(cut, (text) => this.#send(text, 'query', signal));
    const sent = this.#breakers.query.execute(() => lane(send, busyAfter(queryWaitMs)), signal);
    return this.#pieces.query(() => this.#inTime(sent, signal, queryMs));
  }

  #document(texts: readonly string[], isBehind: boolean): Promise<EmbeddedTexts> {
    const { documentsMs } = this.#limits;
    const signal = this.#signal(documentsMs);
    const embedded = byOneModel(texts, (text) => this.#documents.embed(text, signal, isBehind));
    return this.#inTime(embedded, signal, documentsMs);
  }

  /** A timeout of our own says nothing about the server: `#overdue` finds out whether it is away. */
  async #inTime(embedded: Promise<EmbeddedTexts>, signal: AbortSignal, limitMs: number): Promise<EmbeddedTexts> {
    try {
      return await unlessAborted(signal, embedded);
    } catch (error) {
      if (!signal.aborted || this.#closing.signal.aborted || error !== signal.reason) throw error;
      if (this.#load.isUnderWay) throw beingLoaded(error);
      throw new OllamaFailure('busy', `no vector came within ${limitMs} ms`, error);
    }
  }

  /**
   * `signal`: how long the answer is waited for. The request goes on for as long as it may be what loads the model,
   * because the server would abandon the load.
   */
  async #send(text: string, purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedText> {
    if (signal.aborted) throw this.#closing.signal.aborted ? signal.reason : notSentInTime();
    const over = new AbortController();
    let sentAt = performance.now();
    try {
      await this.#load.ready(signal, purpose === 'document');
      sentAt = performance.now();
      const request = this.#texts.embed(text, purpose, AbortSignal.any([over.signal, this.#closing.signal]));
      const embedded = await unlessAborted(signal, request);
      this.#load.noteLoaded();
      return embedded;
    } catch (error) {
      if (this.#closing.signal.aborted || kindOf(error) !== 'server') throw error;
      // An invalid response says nothing about the model.
      if (!(error instanceof OllamaFailure) || error instanceof OllamaRefusal) this.#load.forget();
      if (!signal.aborted) throw error;
      void this.#load.overAfter(sentAt).then(() => over.abort());
      throw await this.#overdue(error);
    }
  }

  /** Why a request timed out: a server that answers nothing else is away, one that does is busy. */
  async #overdue(cause: unknown): Promise<unknown> {
    try {
      await this.#model.look(this.#signal(this.#limits.checkMs));
      return new OllamaFailure('busy', 'no vector came in time', cause);
    } catch (error) {
      this.#noteFailure(error);
      return error;
    }
  }

  #noteSuccess(modelId: string): void {
    this.#proven = modelId;
    this.#isPassing = false;
    this.#outage.end();
  }

  /** Logs no failures that are not the server's, or not known to be. */
  #noteFailure(error: unknown): void {
    const kind = kindOf(error);
    if (kind === null || kind === 'text' || kind === 'untold' || kind === 'closed') return;
    if (kind === 'missing' && this.#options.pull) this.#pull.begin();
    const message = `Ollama does not embed: ${this.#describe(error)}`;
    if (kind !== 'busy' && kind !== 'loading') this.#outage.begin({ kind, message, fields: { err: error } });
    else if (this.#outage.kind === null) {
      if (kind === 'busy') this.#tellBusy(message, error);
      this.#isPassing = true;
    }
  }

  /** It may turn busy many times a minute. A load is logged elsewhere. */
  #tellBusy(message: string, error: unknown): void {
    const now = performance.now();
    if (this.#isPassing || now - this.#busyToldAt < this.#limits.busyToldMs) return;
    this.#busyToldAt = now;
    this.#options.log.warn({ err: error }, message);
  }

  /** A description for anyone: the server's own message may contain an address. */
  #describe(error: unknown): string {
    const { model, pull } = this.#options;
    const kind = kindOf(error);
    if (kind === 'missing') {
      return pull ? `the model ${model} ${this.#pull.stage}` : `the model is missing, run: ollama pull ${model}`;
    }
    if (error instanceof OllamaRefusal) return `Ollama answered ${error.status}`;
    if (error instanceof OllamaFailure) return kind === 'busy' ? `the server is busy: ${error.message}` : error.message;
    return kind === null ? 'it failed repeatedly' : 'the server does not answer';
  }
}

const breakerOf = ({ breakMs, failures, failuresWithinMs }: OllamaLimits) =>
  circuitBreaker(
    handleWhen((error) => kindOf(error) === 'server' || kindOf(error) === 'dimension'),
    {
      halfOpenAfter: breakMs,
      breaker: new FailureWindow({ failuresMax: failures, withinMs: failuresWithinMs, inARow: true }),
    },
  );

/** When to come again: the text before is done within seconds, a load takes as long as the disk needs. */
const retryAfterSeconds: Partial<Record<FailureKind, number>> = { busy: 2, loading: 10 };

const unavailable = (cause: unknown, because?: string): PorticoError => {
  if (cause instanceof PorticoError) return cause;
  const kind = kindOf(cause);
  const seconds = kind === null ? undefined : retryAfterSeconds[kind];
  return new PorticoError('embedding_unavailable', {
    cause,
    ...(because === undefined ? {} : { because }),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
};

const stillTried = (cause: unknown): OllamaFailure =>
  new OllamaFailure('untold', 'a test embedding is still running', cause);

/** Embeds texts one after the other. */
const byOneModel = async (
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

/** Null if nothing was sent because the breaker is open, or if it was reported already. */
const kindOf = (error: unknown): FailureKind | null => {
  if (error instanceof OllamaFailure) return error.kind;
  if (error instanceof PorticoError || error instanceof TextRefusedError) return null;
  return isBrokenCircuitError(error) || isTaskCancelledError(error) ? null : 'server';
};

/** A text that waits longer than this leaves the queue as `busy`, and was never sent. */
const busyAfter =
  (waitMs: number): Leave =>
  (giveUp) => {
    const timer = setTimeout(() => giveUp(new OllamaFailure('busy', `text not sent within ${waitMs} ms`)), waitMs);
    return () => clearTimeout(timer);
  };
