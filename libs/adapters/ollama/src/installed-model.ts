import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';
import { previousTextScheme, textScheme } from './model-text.ts';

export interface InstalledModelOptions {
  readonly api: OllamaApi;
  /** The name of the model in requests to the server; see `toListedName`. */
  readonly model: string;
  readonly maxAgeMs: number;
  /** The timeout of the request that `getId` sends. */
  readonly timeoutMs: number;
  /** Called with the first id, and with each new id. */
  readonly onChange: (id: string, previousId: string | null) => void;
}

const digestLength = 16;

/**
 * The model that the name currently refers to: the tag can be pulled again at any time. The model's id consists of the
 * name, the beginning of the digest, and the version of the scheme that prepares texts for the model.
 */
export class InstalledModel {
  readonly #options: InstalledModelOptions;
  readonly #name: string;
  #id: string | null = null;
  #idRequestedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<string> | null = null;

  constructor(options: InstalledModelOptions) {
    this.#options = options;
    this.#name = toListedName(options.model);
  }

  /** The id that the server last reported; null if it has not reported one yet. */
  get lastId(): string | null {
    return this.#id;
  }

  /** Returns an id that is at most `maxAgeMs` old. Queries the server if necessary, with one request at a time. */
  async getId(): Promise<string> {
    if (this.#id !== null && performance.now() - this.#idRequestedAt < this.#options.maxAgeMs) return this.#id;
    this.#fetching ??= this.fetchId(AbortSignal.timeout(this.#options.timeoutMs)).finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  /** Queries the server for the current id. */
  async fetchId(signal: AbortSignal): Promise<string> {
    const requestedAt = performance.now();
    const digest = digestOf(await this.#options.api.listModels(signal), this.#name);
    if (digest === null) {
      this.#idRequestedAt = Number.NEGATIVE_INFINITY;
      throw new OllamaFailure('missing', `Ollama has no model ${this.#options.model}`);
    }
    const id = `${this.#name}@${digest.slice(0, digestLength)}+${textScheme}`;
    // If two requests overlap, the one that was sent later has the newer state.
    if (requestedAt >= this.#idRequestedAt) {
      const previousId = this.#id;
      this.#id = id;
      this.#idRequestedAt = requestedAt;
      if (previousId !== id) this.#options.onChange(id, previousId);
    }
    return id;
  }
}

/** Returns the id that the previous version of Portico uses for the same model. */
export const toPreviousVersionId = (id: string): string => id.replace(/\+\d+$/, `+${previousTextScheme}`);

const digestOf = (tags: unknown, name: string): string | null => {
  const { models } = Object(tags) as { readonly models?: unknown };
  if (!Array.isArray(models)) throw new OllamaFailure('server', 'Ollama returned no list of models');
  const entry = models
    .map((model: unknown) => Object(model) as { readonly name?: unknown; readonly digest?: unknown })
    .find((model) => String(model.name).toLowerCase() === name);
  if (!entry) return null;
  const digest = String(entry.digest).replace(/^sha256:/, '');
  if (!/^[0-9a-f]{12,}$/.test(digest)) throw new OllamaFailure('server', 'Ollama returned a model without a digest');
  return digest;
};

/**
 * Returns the name that the server uses to list a model that is requested by this name: in lower case, with the tag
 * (`latest` by default), but without the scheme, Ollama's own registry and the namespace `library`. For example,
 * `https://registry.ollama.ai/library/X` is listed as `x:latest`.
 */
const toListedName = (model: string): string => {
  const path = model.toLowerCase().replace(/^[a-z]+:\/\//, '');
  const shortName = path.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return shortName.slice(shortName.lastIndexOf('/') + 1).includes(':') ? shortName : `${shortName}:latest`;
};
