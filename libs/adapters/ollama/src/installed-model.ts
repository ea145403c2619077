import type { OllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';
import { textScheme } from './model-text.ts';

export interface InstalledModelOptions {
  readonly api: OllamaApi;
  /** As the server takes it; see `listedName`. */
  readonly model: string;
  readonly rememberedMs: number;
  /** How long `recent` waits for the server. */
  readonly lookMs: number;
  /** Told of the first id, and of each that takes its place. */
  readonly onChange: (id: string, before: string | null) => void;
}

const digestLength = 16;

/**
 * Which model the name stands for at present: its tag can be pulled anew at any time. Its id is the name, the beginning
 * of the digest, and the scheme by which texts are made ready for it.
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

  /** The last id that was seen; null where none ever was. */
  get known(): string | null {
    return this.#known;
  }

  /** The id as it was at most `rememberedMs` ago; asks the server where that is longer, one at a time. */
  async recent(): Promise<string> {
    if (this.#known !== null && performance.now() - this.#knownSince < this.#options.rememberedMs) return this.#known;
    this.#looking ??= this.look(AbortSignal.timeout(this.#options.lookMs)).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The id as the server tells it after now. */
  async look(signal: AbortSignal): Promise<string> {
    const since = performance.now();
    const digest = digestOf(await this.#options.api.tags(signal), this.#name);
    if (digest === null) {
      this.#knownSince = Number.NEGATIVE_INFINITY;
      throw new OllamaFailure('missing', `Ollama has no model ${this.#options.model}`);
    }
    const id = `${this.#name}@${digest.slice(0, digestLength)}+${textScheme}`;
    // Of two looks that overlap, the one that began later has seen the later state.
    if (since >= this.#knownSince) {
      const before = this.#known;
      this.#known = id;
      this.#knownSince = since;
      if (before !== id) this.#options.onChange(id, before);
    }
    return id;
  }
}

const digestOf = (tags: unknown, name: string): string | null => {
  const { models } = Object(tags) as { readonly models?: unknown };
  if (!Array.isArray(models)) throw new OllamaFailure('server', 'Ollama answered no list of models');
  const found = models
    .map((model: unknown) => Object(model) as { readonly name?: unknown; readonly digest?: unknown })
    .find((model) => String(model.name).toLowerCase() === name);
  if (!found) return null;
  const digest = String(found.digest).replace(/^sha256:/, '');
  if (!/^[0-9a-f]{12,}$/.test(digest)) throw new OllamaFailure('server', 'Ollama answered a model without a digest');
  return digest;
};

/**
 * The name by which the server lists a model, whatever it is asked for by: without scheme, its own registry and the namespace
 * `library`, with the tag, `latest` unless another is named, and in lower case. `https://registry.ollama.ai/library/X` is
 * `X:latest`.
 */
const listedName = (model: string): string => {
  const path = model.toLowerCase().replace(/^[a-z]+:\/\//, '');
  const short = path.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return short.slice(short.lastIndexOf('/') + 1).includes(':') ? short : `${short}:latest`;
};
