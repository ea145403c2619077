import { PorticoError } from '../../errors.ts';
import { buildOperationVector, buildQueryVector } from '../../operations/model-vectors.ts';
import { operationTextOf, collectionTextOf } from '../../operations/operation-text.ts';
import type { Checkpoint, Embedder, OperationEmbedder } from '../../ports/index.ts';
import { embeddingDimension, TextRejectedError } from '../../search/embedding.ts';

export interface ModelOperationEmbedderOptions {
  /** Embeds the meaning of operations and queries. */
  readonly model: Embedder;
  /** Embeds the words of operations and queries. */
  readonly wordEmbedder: OperationEmbedder;
}

/**
 * The number of texts that are embedded concurrently: only a few, because searches and collections wait behind them.
 */
const concurrentTexts = 4;

/** The maximum number of cached vectors from unfinished work: 12 MB. */
const cacheEntriesMax = 4_096;

/**
 * A part of the model's id that changes with the texts that are embedded, and with the composition of their vectors.
 */
const scheme = 'operations-1';

/**
 * Embeds operations with a language model, and their words with another embedder. Embeds a few texts at a time; if it
 * is interrupted, or the model is unavailable, finished vectors remain cached in memory, so that the next attempt
 * continues from there. A text that the model rejects can be found by its words alone.
 */
export const createModelOperationEmbedder = ({
  model,
  wordEmbedder,
}: ModelOperationEmbedderOptions): OperationEmbedder => {
  const cache = createVectorCache();

  const embedOne = async (text: string, expectedId: string): Promise<Float32Array> => {
    const { modelId, vectors } = await model.embed([text], 'document').catch(returnZeroVectorIfRejected(expectedId));
    if (modelId !== expectedId) throw createUnavailableError('the model was replaced in the meantime');
    return vectors[0] ?? throwMissingVector();
  };

  const embedAll = async (
    texts: readonly string[],
    modelId: string,
    checkpoint: Checkpoint,
  ): Promise<readonly Float32Array[]> => {
    const vectors = new Map<string, Float32Array>();
    for (const text of texts) {
      const vector = cache.find(modelId, text);
      if (vector) vectors.set(text, vector);
    }
    const missingTexts = [...new Set(texts)].filter((text) => !vectors.has(text));
    for (let start = 0; start < missingTexts.length; start += concurrentTexts) {
      await checkpoint();
      const embedAndCache = async (text: string): Promise<void> => {
        const vector = await embedOne(text, modelId);
        vectors.set(text, vector);
        cache.add(modelId, text, vector);
      };
      await Promise.all(missingTexts.slice(start, start + concurrentTexts).map(embedAndCache));
    }
    return texts.map((text) => vectors.get(text) ?? throwMissingVector());
  };

  const combineIds = (modelId: string, wordModelId: string): string => `${modelId}+${wordModelId}+${scheme}`;

  return {
    getModelId: async () => combineIds(await model.getModelId(), await wordEmbedder.getModelId()),

    async *embedOperations(context, batches, checkpoint) {
      const modelId = await model.getModelId();
      const embeddedTexts: string[] = [];
      for await (const batch of wordEmbedder.embedOperations(context, batches, checkpoint)) {
        const { operations } = batch;
        const texts = [
          collectionTextOf(context),
          ...operations.map((operation) => operationTextOf(context, operation)),
        ];
        const requiredTexts = operations.length === 0 ? [] : texts;
        const [contextVector, ...textVectors] = await embedAll(requiredTexts, modelId, checkpoint);
        const vectors = batch.vectors.map(({ sparse }, i) =>
          buildOperationVector(textVectors[i] ?? throwMissingVector(), contextVector ?? throwMissingVector(), sparse),
        );
        embeddedTexts.push(...texts);
        yield { modelId: combineIds(modelId, batch.modelId), operations, vectors };
      }
      cache.remove(embeddedTexts);
    },

    async embedQuery(text) {
      const [{ modelId, vectors }, embeddedWords] = await Promise.all([
        model.embed([text], 'query'),
        wordEmbedder.embedQuery(text),
      ]);
      const vector = buildQueryVector(vectors[0] ?? throwMissingVector(), embeddedWords.vector.sparse);
      return { modelId: combineIds(modelId, embeddedWords.modelId), vector };
    },
  };
};

/** Creates a cache of one model's vectors, by text. */
const createVectorCache = () => {
  const vectors = new Map<string, Float32Array>();
  let cachedModelId = '';
  return {
    find: (modelId: string, text: string) => (modelId === cachedModelId ? vectors.get(text) : undefined),
    add(modelId: string, text: string, vector: Float32Array): void {
      if (modelId !== cachedModelId) vectors.clear();
      cachedModelId = modelId;
      if (vectors.size < cacheEntriesMax) vectors.set(text, vector);
    },
    /** Removes these texts. If the cache is full, abandoned work may have filled it, so it is cleared. */
    remove(texts: readonly string[]): void {
      if (vectors.size >= cacheEntriesMax) vectors.clear();
      for (const text of texts) vectors.delete(text);
    },
  };
};

/** Returns a zero vector for a rejected text: such a vector has the same distance to every query. */
const returnZeroVectorIfRejected = (modelId: string) => (error: unknown) => {
  if (error instanceof TextRejectedError) return { modelId, vectors: [new Float32Array(embeddingDimension)] };
  throw error;
};

const createUnavailableError = (reason: string): PorticoError => new PorticoError('embedding_unavailable', { reason });

const throwMissingVector = (): never => {
  throw createUnavailableError('it returned no vector');
};
