import type { EmbeddedTexts } from '@portico/domain';
import { batchSize } from './limits.ts';
import { tokensOf } from './model-text.ts';
import { OllamaFailure } from './ollama-failure.ts';

export interface GatheredDocumentsOptions {
  /** Embeds texts with one request. */
  readonly send: (texts: readonly string[], signal: AbortSignal) => Promise<EmbeddedTexts>;
  /** Target duration of a request. */
  readonly requestMs: number;
  /** How long a call may take. With less than half of that left it is not sent: it would hardly finish in time. */
  readonly callMs: number;
  /** Calls that may wait; one more fails at once. */
  readonly waiting: number;
  /** How long a call with `isBehind` waits behind others. */
  readonly behindMs: number;
}

export interface CallOptions {
  /** It shares no request. */
  readonly isAlone?: boolean;
  /** Calls without it go first, though not for longer than `behindMs`. */
  readonly isBehind?: boolean;
}

interface Call {
  readonly texts: readonly string[];
  readonly tokens: number;
  readonly signal: AbortSignal;
  readonly isAlone: boolean;
  readonly isBehind: boolean;
  /** When it was made, on the monotonic clock. */
  readonly madeAt: number;
  readonly resolve: (embedded: EmbeddedTexts) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends one request at a time, and batches the calls that arrive meanwhile into the next one, so a caller that embeds
 * many texts concurrently fills the requests. A request holds no more tokens than the server last embedded in
 * `requestMs`, since a query may wait behind it. A call that is not sent in time fails as `busy`.
 */
export class GatheredDocuments {
  readonly #options: GatheredDocumentsOptions;
  #waiting: readonly Call[] = [];
  #sends = false;
  #msPerToken = 0;

  constructor(options: GatheredDocumentsOptions) {
    this.#options = options;
  }

  /** A call that is aborted before its turn is never sent, and never settles. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    { isAlone = false, isBehind = false }: CallOptions = {},
  ): Promise<EmbeddedTexts> {
    const { waiting } = this.#options;
    if (this.#waiting.length >= waiting) return Promise.reject(new OllamaFailure('busy', 'too many texts are waiting'));
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedTexts>();
    const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    const call = { texts, tokens, signal, isAlone, isBehind, madeAt: performance.now(), resolve, reject };
    this.#waiting = [...this.#waiting, call];
    if (!this.#sends) void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    this.#sends = true;
    for (let calls = this.#next(); calls.length > 0; calls = this.#next()) await this.#answer(calls);
    this.#sends = false;
  }

  /** The calls of the next request, in order of arrival: at least one, if any still wait. */
  #next(): readonly Call[] {
    this.#waiting = this.#waiting.filter((call) => this.#isInTime(call));
    const first = this.#waiting.filter((call) => !this.#isLater(call));
    const waiting = first.length > 0 ? first : this.#waiting;
    const tokensMax = this.#options.requestMs / this.#msPerToken;
    let [count, texts, tokens] = [0, 0, 0];
    for (const call of waiting) {
      texts += call.texts.length;
      tokens += call.tokens;
      if (count > 0 && (texts > batchSize || tokens > tokensMax || call.isAlone)) break;
      count += 1;
      if (call.isAlone) break;
    }
    const next = new Set(waiting.slice(0, count));
    this.#waiting = this.#waiting.filter((call) => !next.has(call));
    return [...next];
  }

  #isLater({ isBehind, madeAt }: Call): boolean {
    return isBehind && performance.now() - madeAt < this.#options.behindMs;
  }

  #isInTime({ signal, madeAt, reject }: Call): boolean {
    if (signal.aborted) return false;
    const waitMs = this.#options.callMs / 2;
    if (performance.now() - madeAt < waitMs) return true;
    reject(new OllamaFailure('busy', `text not sent within ${waitMs} ms`));
    return false;
  }

  /** A response that refuses may be due to one text: then each call is sent alone. */
  async #answer(calls: readonly Call[]): Promise<void> {
    const texts = calls.flatMap((call) => call.texts);
    const tokens = calls.reduce((sum, call) => sum + call.tokens, 1);
    // The last call to arrive is the last to time out.
    const { signal } = calls.at(-1) ?? { signal: AbortSignal.abort() };
    const begun = performance.now();
    const msPerToken = () => (performance.now() - begun) / tokens;
    try {
      const { modelId, vectors } = await this.#options.send(texts, signal);
      this.#msPerToken = msPerToken();
      let start = 0;
      for (const call of calls) call.resolve({ modelId, vectors: vectors.slice(start, (start += call.texts.length)) });
    } catch (error) {
      // A quick failure says nothing about how long vectors take.
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
