import type { Log } from '@portico/dependencies';
import type { EmbeddingPurpose } from '@portico/domain';
import type { InstalledModel } from './installed-model.ts';
import { cutText, prefixOf, textUnitsMin } from './model-text.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure, OllamaStatusError } from './ollama-failure.ts';
import { readVector } from './read-vector.ts';

/** A unit vector, and the model that computed it. */
export interface EmbeddedText {
  readonly modelId: string;
  readonly vector: Float32Array;
}

export interface TextRequestsOptions {
  readonly api: Pick<OllamaApi, 'embed'>;
  readonly model: string;
  readonly installedModel: Pick<InstalledModel, 'lastId' | 'fetchId'>;
  readonly log: Pick<Log, 'debug'>;
}

/**
 * Requests the vectors of texts, each cut until the model accepts it. Sends one text per request, because other texts
 * wait for the request.
 */
export class TextRequests {
  readonly #options: TextRequestsOptions;

  constructor(options: TextRequestsOptions) {
    this.#options = options;
  }

  /**
   * Embeds a text. The server does not report which version of a model computed a vector, so the version is read
   * afterwards. If it has changed, the vector is requested again.
   */
  async embed(text: string, purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedText> {
    const { installedModel } = this.#options;
    let modelId = installedModel.lastId ?? (await installedModel.fetchId(signal));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const vector = await this.#embed(text, purpose, signal);
      const latestModelId = await installedModel.fetchId(signal);
      if (latestModelId === modelId) return { modelId, vector };
      modelId = latestModelId;
    }
    throw new OllamaFailure('server', 'The Ollama model changed repeatedly while a text was embedded');
  }

  /** Embeds a text. If it is too long for the model, it is cut in half until the model accepts it. */
  async #embed(fullText: string, purpose: EmbeddingPurpose, signal: AbortSignal): Promise<Float32Array> {
    const { api, model, log } = this.#options;
    for (let text = fullText; ; text = cutText(fullText, Math.max(textUnitsMin, text.length >> 1))) {
      try {
        const vector = readVector(await api.embed(prefixOf(model, purpose) + text, signal), model);
        if (text !== fullText) log.debug({}, `${describeText(fullText)} was cut to ${text.length} for the model`);
        return vector;
      } catch (error) {
        if (!(error instanceof OllamaStatusError && error.isTextTooLong)) throw error;
        if (text.length <= textUnitsMin) {
          throw new OllamaFailure('text', `${describeText(text)} is too long for the model`, error);
        }
      }
    }
  }
}

const describeText = (text: string): string => `A text of ${text.length} UTF-16 units`;
