import type { Log } from '@portico/dependencies';
import type { EmbeddedTexts, EmbeddingPurpose } from '@portico/domain';
import type { InstalledModel } from './installed-model.ts';
import { batchSize } from './limits.ts';
import { cutText, prefixOf, textUnitsMin } from './model-text.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure, OllamaRefusal } from './ollama-failure.ts';
import { readVectors } from './read-vectors.ts';

export interface TextRequestsOptions {
  readonly api: Pick<OllamaApi, 'embed'>;
  readonly model: string;
  readonly installed: Pick<InstalledModel, 'known' | 'look'>;
  /** Length in UTF-16 units that a text is cut to before it is sent. */
  readonly unitsMaxOf: (text: string) => number;
  readonly log: Pick<Log, 'debug'>;
}

/** Requests the vectors of texts, each cut until the model accepts it. */
export class TextRequests {
  readonly #options: TextRequestsOptions;

  constructor(options: TextRequestsOptions) {
    this.#options = options;
  }

  /**
   * The server does not tell which version of a model made a vector. So the version is read afterwards: if it changed,
   * the vectors are requested again.
   */
  async embed(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedTexts> {
    const { installed } = this.#options;
    let modelId = installed.known ?? (await installed.look(signal));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const vectors = await this.#embedAll(texts, purpose, signal);
      const after = await installed.look(signal);
      if (after === modelId) return { modelId, vectors };
      modelId = after;
    }
    throw new OllamaFailure('server', 'The Ollama model changed repeatedly while texts were embedded');
  }

  async #embedAll(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      const batch = texts.slice(start, start + batchSize);
      vectors.push(...(await this.#embedBatch(batch, purpose, signal, Number.POSITIVE_INFINITY)));
    }
    return vectors;
  }

  /** One text that is too long fails its whole batch: then each is sent alone, and cut in half until it is accepted. */
  async #embedBatch(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    unitsMax: number,
  ): Promise<Float32Array[]> {
    const prefix = prefixOf(this.#options.model, purpose);
    const cut = texts.map((text) => cutText(text, Math.min(unitsMax, this.#options.unitsMaxOf(text))));
    try {
      const answer = await this.#options.api.embed(
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
    if (left < units) this.#options.log.debug({}, `A text of ${units} UTF-16 units was cut to ${left} for the model`);
  }
}
