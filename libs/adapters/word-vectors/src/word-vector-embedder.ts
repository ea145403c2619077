import { readFile } from 'node:fs/promises';
import { createYielder } from '@portico/dependencies';
import { type Embedder, PorticoError } from '@portico/domain';
import { createOperationVectors, type OperationVectors } from './operation-vectors.ts';
import { createSpellingCorrector } from './spelling-corrector.ts';
import { createTextVectors } from './text-vectors.ts';
import { readWordTable } from './word-table.ts';
import { createWordVectorOperationEmbedder, type ModelDigest } from './word-vector-operation-embedder.ts';

/** `model` is a folder with `words.bin` and `manifest.json`, as written by `tools/embedder`. */
export interface WordVectorOptions {
  readonly model?: URL;
}

/**
 * Creates the built-in semantic embedder. It adds up the vectors of a text's words, which were distilled from a
 * sentence transformer, and concatenates the sum with the hashed words (`tools/embedder/LABORATORY.md`). It corrects
 * misspelled words. The 8 MB table is read on first use, in steps of a few milliseconds. A document's first line is its
 * name. Throws `embedding_unavailable` if the table cannot be read, and tries again on the next call.
 */
export const createWordVectorEmbedder = (options?: WordVectorOptions): Embedder =>
  createWordVectorEmbedders(options).embedder;

/** Creates the embedder for collections and the embedder for their operations, which share one table in memory. */
export const createWordVectorEmbedders = ({ model = committedModel }: WordVectorOptions = {}) => {
  const getDigest = memoizeSuccess(() => digestOf(model));
  const getVectors = memoizeSuccess(() => load(model));
  const embedder: Embedder = {
    getModelId: async () => (await getDigest()).id,
    embed: async (texts, purpose) => {
      const [{ id }, { toVector }] = await Promise.all([getDigest(), getVectors()]);
      return { modelId: id, vectors: texts.map((text) => toVector(text, purpose)) };
    },
    check: async () => {
      await getVectors();
    },
  };
  return { embedder, operationEmbedder: createWordVectorOperationEmbedder(getDigest, getVectors) };
};

interface LoadedVectors {
  readonly toVector: ReturnType<typeof createTextVectors>;
  readonly operationVectors: OperationVectors;
}

const committedModel = new URL('../model/', import.meta.url);

/**
 * Returns the id, such as `portico-words-1-0123abcd`: the name identifies this package's rules, and the digest
 * identifies the table.
 */
const digestOf = async (model: URL): Promise<ModelDigest> => {
  const { id, sha256 } = JSON.parse(await readFile(new URL('manifest.json', model), 'utf8')) as {
    readonly id: string;
    readonly sha256: string;
  };
  const digest = sha256.slice(0, 8);
  return { id: `${id}-${digest}`, digest };
};

const load = async (model: URL): Promise<LoadedVectors> => {
  const bytes = await readFile(new URL('words.bin', model));
  const yieldToEventLoop = createYielder();
  const table = await readWordTable(bytes, yieldToEventLoop);
  const corrector = await createSpellingCorrector(table, yieldToEventLoop);
  return {
    toVector: createTextVectors(table, corrector),
    operationVectors: createOperationVectors(table, corrector),
  };
};

/** Runs the task once, and caches its result. After a failure, the next call runs it again. */
const memoizeSuccess = <Result>(task: () => Promise<Result>): (() => Promise<Result>) => {
  let result: Promise<Result> | null = null;
  return () =>
    (result ??= task().catch((cause: unknown) => {
      result = null;
      throw new PorticoError('embedding_unavailable', { cause });
    }));
};
