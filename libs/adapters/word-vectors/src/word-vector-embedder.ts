import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type Embedder, PorticoError } from '@portico/domain';
import { createSpelling } from './spelling.ts';
import { createTextVectors } from './text-vectors.ts';
import { readWordTable } from './word-table.ts';

/** A folder with `words.bin` and `manifest.json`, as `tools/embedder` writes them. */
export interface WordVectorOptions {
  readonly model?: URL;
}

/**
 * A built-in embedder that understands: it adds up the vectors of a text's words, which were distilled from a sentence
 * transformer, and joins them with the hashed words themselves (`docs/search.md`). It corrects spelling. The table, 8 MB,
 * is read at first use; each portion of that work takes a few milliseconds. The first line of a document is its name.
 * Throws `embedding_unavailable` if the table cannot be read, and tries again at the next call.
 */
export const createWordVectorEmbedder = ({ model = committedModel }: WordVectorOptions = {}): Embedder => {
  const modelId = retried(() => modelIdOf(model));
  const vectorOf = retried(() => load(model));
  return {
    modelId,
    embed: async (texts, purpose) => {
      const [id, toVector] = await Promise.all([modelId(), vectorOf()]);
      return { modelId: id, vectors: texts.map((text) => toVector(text, purpose)) };
    },
    check: async () => {
      await vectorOf();
    },
  };
};

const committedModel = new URL('../model/', import.meta.url);

/** Of the form `portico-words-1-0123abcd`: the name stands for the rules of this package, the digest for the table. */
const modelIdOf = async (model: URL): Promise<string> => {
  const { id, sha256 } = JSON.parse(await readFile(new URL('manifest.json', model), 'utf8')) as {
    readonly id: string;
    readonly sha256: string;
  };
  return `${id}-${sha256.slice(0, 8)}`;
};

const load = async (model: URL) => {
  const bytes = await readFile(new URL('words.bin', model));
  const othersTurn = createTurns();
  const table = await readWordTable(bytes, othersTurn);
  return createTextVectors(table, await createSpelling(table, othersTurn));
};

/** How long the work goes on before others have their turn. */
const turnMs = 4;

const createTurns = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await setImmediate();
    since = performance.now();
  };
};

/** Does the work once; after a failure, once more at the next call. */
const retried = <Result>(work: () => Promise<Result>): (() => Promise<Result>) => {
  let result: Promise<Result> | null = null;
  return () =>
    (result ??= work().catch((cause: unknown) => {
      result = null;
      throw new PorticoError('embedding_unavailable', { cause });
    }));
};
