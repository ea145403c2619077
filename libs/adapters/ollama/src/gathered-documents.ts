import type { EmbeddedTexts } from '@portico/domain';
import { batchSize } from './limits.ts';
import { tokensOf } from './model-text.ts';
import { OllamaFailure } from './ollama-failure.ts';

export interface GatheredDocumentsOptions {
  /** Embeds texts by a request. */
  readonly send: (texts: readonly string[], signal: AbortSignal) => Promise<EmbeddedTexts>;
  /** How long a request is meant to take. */
  readonly requestMs: number;
  /** How long a call may take; one that has less than half of it left is not begun any more, for it would hardly be done in time. */
  readonly callMs: number;
  /** Calls that wait for the next requests; one more fails at once. */
  readonly waiting: number;
}

interface Call {
  readonly texts: readonly string[];
  readonly tokens: number;
  readonly signal: AbortSignal;
  readonly isAlone: boolean;
  /** When it was made, on the monotonic clock. */
  readonly madeAt: number;
  readonly resolve: (embedded: EmbeddedTexts) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends one request after another, and gathers what is asked for while one is under way into the next: who asks for many texts
 * one by one, at once, fills the requests. One holds no more tokens than the server worked in `requestMs` the last time, since a
 * query that comes meanwhile waits for it there. Whoever gets no turn is `busy`, and was never sent.
 */
export class GatheredDocuments {
  readonly #options: GatheredDocumentsOptions;
  #waiting: readonly Call[] = [];
  #sends = false;
  #msPerToken = 0;

  constructor(options: GatheredDocumentsOptions) {
    this.#options = options;
  }

  /** A call whose signal is aborted before its turn is never sent, nor answered. One that `isAlone` shares no request. */
  embed(texts: readonly string[], signal: AbortSignal, isAlone = false): Promise<EmbeddedTexts> {
    const { waiting } = this.#options;
    if (this.#waiting.length >= waiting) return Promise.reject(new OllamaFailure('busy', 'too many texts wait'));
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedTexts>();
    const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    const call = { texts, tokens, signal, isAlone, madeAt: performance.now(), resolve, reject };
    this.#waiting = [...this.#waiting, call];
    if (!this.#sends) void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    this.#sends = true;
    for (let calls = this.#next(); calls.length > 0; calls = this.#next()) await this.#answer(calls);
    this.#sends = false;
  }

  /** The calls of the next request, in the order in which they came: one at least, of those that wait still. */
  #next(): readonly Call[] {
    const waiting = this.#waiting.filter((call) => this.#isInTime(call));
    const tokensMax = this.#options.requestMs / this.#msPerToken;
    let [count, texts, tokens] = [0, 0, 0];
    for (const call of waiting) {
      texts += call.texts.length;
      tokens += call.tokens;
      if (count > 0 && (texts > batchSize || tokens > tokensMax || call.isAlone)) break;
      count += 1;
      if (call.isAlone) break;
    }
    this.#waiting = waiting.slice(count);
    return waiting.slice(0, count);
  }

  #isInTime({ signal, madeAt, reject }: Call): boolean {
    if (signal.aborted) return false;
    const waitMs = this.#options.callMs / 2;
    if (performance.now() - madeAt < waitMs) return true;
    reject(new OllamaFailure('busy', `a text had no turn within ${waitMs} ms`));
    return false;
  }

  /** What is refused with an answer may be refused for one of its texts: then each call is sent alone. */
  async #answer(calls: readonly Call[]): Promise<void> {
    const texts = calls.flatMap((call) => call.texts);
    const tokens = calls.reduce((sum, call) => sum + call.tokens, 1);
    // The call that came last is the last to be given up.
    const { signal } = calls.at(-1) ?? { signal: AbortSignal.abort() };
    const begun = performance.now();
    const msPerToken = () => (performance.now() - begun) / tokens;
    try {
      const { modelId, vectors } = await this.#options.send(texts, signal);
      this.#msPerToken = msPerToken();
      let start = 0;
      for (const call of calls) call.resolve({ modelId, vectors: vectors.slice(start, (start += call.texts.length)) });
    } catch (error) {
      // A failure that comes soon says nothing of how long vectors take.
      this.#msPerToken = Math.max(this.#msPerToken, msPerToken());
      const isOfOne = calls.length > 1 && error instanceof OllamaFailure && mayBeOfOneText.has(error.kind);
      for (const call of calls) {
        if (isOfOne && !call.signal.aborted) await this.#answer([call]);
        else call.reject(error);
      }
    }
  }
}

const mayBeOfOneText: ReadonlySet<OllamaFailure['kind']> = new Set(['text', 'server']);
