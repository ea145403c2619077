import { PorticoError } from '../../errors.ts';
import { operationVector, queryVector } from '../../operations/model-vectors.ts';
import { operationText, collectionText } from '../../operations/operation-text.ts';
import type { Checkpoint, Embedder, OperationEmbedder } from '../../ports/index.ts';
import { embeddingDimension, TextRefusedError } from '../../search/embedding.ts';

export interface ModelOperationEmbedderOptions {
  /** Embeds the meaning of operations and queries. */
  readonly model: Embedder;
  /** Embeds the words of operations and queries. */
  readonly words: OperationEmbedder;
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
export const createModelOperationEmbedder = ({ model, words }: ModelOperationEmbedderOptions): OperationEmbedder => {
  const cache = createVectorCache();

  const embedOne = async (text: string, expectedId: string): Promise<Float32Array> => {
    const { modelId, vectors } = await model.embed([text], 'document').catch(zeroVectorIfRefused(expectedId));
    if (modelId !== expectedId) throw unavailable('the model was replaced meanwhile');
    return vectors[0] ?? missing();
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
    return texts.map((text) => vectors.get(text) ?? missing());
  };

  const idOf = (modelId: string, wordsId: string): string => `${modelId}+${wordsId}+${scheme}`;

  return {
    modelId: async () => idOf(await model.modelId(), await words.modelId()),

    async *embedOperations(context, batches, checkpoint) {
      const modelId = await model.modelId();
      const finished: string[] = [];
      for await (const batch of words.embedOperations(context, batches, checkpoint)) {
        const { operations } = batch;
        const texts = [collectionText(context), ...operations.map((operation) => operationText(context, operation))];
        const [contextVector, ...meanings] = await embedAll(operations.length === 0 ? [] : texts, modelId, checkpoint);
        const vectors = batch.vectors.map(({ sparse }, i) =>
          operationVector(meanings[i] ?? missing(), contextVector ?? missing(), sparse),
        );
        finished.push(...texts);
        yield { modelId: idOf(modelId, batch.modelId), operations, vectors };
      }
      cache.remove(finished);
    },

    async embedQuery(text) {
      const [{ modelId, vectors }, wordsResult] = await Promise.all([
        model.embed([text], 'query'),
        words.embedQuery(text),
      ]);
      const vector = queryVector(vectors[0] ?? missing(), wordsResult.vector.sparse);
      return { modelId: idOf(modelId, wordsResult.modelId), vector };
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
const zeroVectorIfRefused = (modelId: string) => (error: unknown) => {
  if (error instanceof TextRefusedError) return { modelId, vectors: [new Float32Array(embeddingDimension)] };
  throw error;
};

const unavailable = (because: string): PorticoError => new PorticoError('embedding_unavailable', { because });

const missing = (): never => {
  throw unavailable('it returned no vector');
};
