import type { EmbeddedTexts } from '@portico/domain';
import { BulkheadRejectedError } from 'cockatiel';
import { batchSize } from './limits.ts';
import { OllamaFailure } from './ollama-failure.ts';

export interface GatheredDocumentsOptions {
  /** Embeds texts by a request. */
  readonly send: (texts: readonly string[], signal: AbortSignal) => Promise<EmbeddedTexts>;
  /** How long a request is meant to take. */
  readonly requestMs: number;
  /** Calls that wait for the next requests; one more fails at once. */
  readonly waiting: number;
}

interface Call {
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  readonly resolve: (embedded: EmbeddedTexts) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends one request after another, and gathers what is asked for while one is under way into the next: who asks for many texts one
 * by one, at once, fills the requests. One holds no more texts than the server made in `requestMs` the last time, since a query that
 * comes meanwhile waits for it there.
 */
export class GatheredDocuments {
  readonly #options: GatheredDocumentsOptions;
  #waiting: readonly Call[] = [];
  #sends = false;
  #msPerText = 0;

  constructor(options: GatheredDocumentsOptions) {
    this.#options = options;
  }

  /** A call whose signal is aborted before its turn is never sent, nor answered. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedTexts> {
    const { waiting } = this.#options;
    if (this.#waiting.length >= waiting) return Promise.reject(new BulkheadRejectedError(1, waiting));
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedTexts>();
    this.#waiting = [...this.#waiting, { texts, signal, resolve, reject }];
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
    const waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    const textsMax = Math.min(batchSize, Math.floor(this.#options.requestMs / this.#msPerText));
    let [count, texts] = [0, 0];
    for (const call of waiting) {
      texts += call.texts.length;
      if (count > 0 && texts > textsMax) break;
      count += 1;
    }
    this.#waiting = waiting.slice(count);
    return waiting.slice(0, count);
  }

  /** What is refused with an answer may be refused for one of its texts: then each call is sent alone. */
  async #answer(calls: readonly Call[]): Promise<void> {
    const texts = calls.flatMap((call) => call.texts);
    // The call that came last is the last to be given up.
    const { signal } = calls.at(-1) ?? { signal: AbortSignal.abort() };
    const begun = performance.now();
    const msPerText = () => (performance.now() - begun) / texts.length;
    try {
      const { modelId, vectors } = await this.#options.send(texts, signal);
      this.#msPerText = msPerText();
      let start = 0;
      for (const call of calls) call.resolve({ modelId, vectors: vectors.slice(start, (start += call.texts.length)) });
    } catch (error) {
      // A failure that comes soon says nothing of how long vectors take.
      this.#msPerText = Math.max(this.#msPerText, msPerText());
      const isOfOne = calls.length > 1 && error instanceof OllamaFailure && mayBeOfOneText.has(error.kind);
      for (const call of calls) {
        if (isOfOne && !call.signal.aborted) await this.#answer([call]);
        else call.reject(error);
      }
    }
  }
}

const mayBeOfOneText: ReadonlySet<OllamaFailure['kind']> = new Set(['text', 'server']);
