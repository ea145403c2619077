import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';
import { earlierTextScheme, textScheme } from './model-text.ts';

export interface InstalledModelOptions {
  readonly api: OllamaApi;
  /** As in requests to the server; see `listedName`. */
  readonly model: string;
  readonly rememberedMs: number;
  /** How long `recent` waits for the server. */
  readonly lookMs: number;
  /** Called with the first id, and with each that replaces it. */
  readonly onChange: (id: string, before: string | null) => void;
}

const digestLength = 16;

/**
 * The model that the name currently stands for: its tag can be pulled again at any time. Its id consists of the name,
 * the beginning of the digest, and the scheme by which texts are prepared for it.
 */
export class InstalledModel {
  readonly #options: InstalledModelOptions;
  readonly #name: string;
  #known: string | null = null;
  #knownSince = Number.NEGATIVE_INFINITY;
  #looking: Promise<string> | null = null;

  constructor(options: InstalledModelOptions) {
    this.#options = options;
    this.#name = listedName(options.model);
  }

  /** The last id seen; null if none was. */
  get known(): string | null {
    return this.#known;
  }

  /** The id, at most `rememberedMs` old; asks the server if needed, with one request at a time. */
  async recent(): Promise<string> {
    if (this.#known !== null && performance.now() - this.#knownSince < this.#options.rememberedMs) return this.#known;
    this.#looking ??= this.look(AbortSignal.timeout(this.#options.lookMs)).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The id as the server reports it now. */
  async look(signal: AbortSignal): Promise<string> {
    const since = performance.now();
    const digest = digestOf(await this.#options.api.tags(signal), this.#name);
    if (digest === null) {
      this.#knownSince = Number.NEGATIVE_INFINITY;
      throw new OllamaFailure('missing', `Ollama has no model ${this.#options.model}`);
    }
    const id = `${this.#name}@${digest.slice(0, digestLength)}+${textScheme}`;
    // Of two overlapping requests, the later one saw the later state.
    if (since >= this.#knownSince) {
      const before = this.#known;
      this.#known = id;
      this.#knownSince = since;
      if (before !== id) this.#options.onChange(id, before);
    }
    return id;
  }
}

/** The id that the version before gave the model of this id. */
export const earlierId = (id: string): string => id.replace(/\+\d+$/, `+${earlierTextScheme}`);

const digestOf = (tags: unknown, name: string): string | null => {
  const { models } = Object(tags) as { readonly models?: unknown };
  if (!Array.isArray(models)) throw new OllamaFailure('server', 'Ollama returned no list of models');
  const found = models
    .map((model: unknown) => Object(model) as { readonly name?: unknown; readonly digest?: unknown })
    .find((model) => String(model.name).toLowerCase() === name);
  if (!found) return null;
  const digest = String(found.digest).replace(/^sha256:/, '');
  if (!/^[0-9a-f]{12,}$/.test(digest)) throw new OllamaFailure('server', 'Ollama returned a model without a digest');
  return digest;
};

/**
 * The name under which the server lists a model, whatever name it is requested by: lower case, without scheme, Ollama's
 * own registry and the namespace `library`, with the tag (`latest` by default). `https://registry.ollama.ai/library/X`
 * is `X:latest`.
 */
const listedName = (model: string): string => {
  const path = model.toLowerCase().replace(/^[a-z]+:\/\//, '');
  const short = path.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return short.slice(short.lastIndexOf('/') + 1).includes(':') ? short : `${short}:latest`;
};
