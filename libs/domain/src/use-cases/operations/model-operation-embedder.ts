import { PorticoError } from '../../errors.ts';
import { operationVector, questionVector } from '../../operations/model-vectors.ts';
import { operationText, ownerText } from '../../operations/operation-text.ts';
import type { Checkpoint, Embedder, OperationEmbedder } from '../../ports/index.ts';
import { embeddingDimension, TextRefusedError } from '../../search/embedding.ts';

export interface ModelOperationEmbedderOptions {
  /** Says what operations and questions mean. */
  readonly model: Embedder;
  /** Says which words they are written with, and what they name. */
  readonly words: OperationEmbedder;
}

/** How many texts are embedded at once: few, because searches and collections wait behind them. */
const textsAtOnce = 4;

/** How many vectors of unfinished work are kept: 12 MB. */
const keptMax = 4_096;

/** Changes with the texts that are embedded, and with how their vectors are put together. */
const scheme = 'operations-1';

/**
 * Embeds operations with a language model, and their words with another embedder. A few texts at a time; if it is
 * interrupted, or the model is away, what is embedded already is kept in memory, so that the next attempt goes on from
 * there. A text that the model refuses is found by its words alone.
 */
export const createModelOperationEmbedder = ({ model, words }: ModelOperationEmbedderOptions): OperationEmbedder => {
  const kept = createKeptVectors();

  const embedOne = async (text: string, expectedId: string): Promise<Float32Array> => {
    const { modelId, vectors } = await model.embed([text], 'document').catch(refused(expectedId));
    if (modelId !== expectedId) throw unavailable('the model was replaced meanwhile');
    return vectors[0] ?? missing();
  };

  const embedAll = async (
    texts: readonly string[],
    modelId: string,
    checkpoint: Checkpoint,
  ): Promise<readonly Float32Array[]> => {
    const known = new Map<string, Float32Array>();
    for (const text of texts) {
      const vector = kept.find(modelId, text);
      if (vector) known.set(text, vector);
    }
    const left = [...new Set(texts)].filter((text) => !known.has(text));
    for (let start = 0; start < left.length; start += textsAtOnce) {
      await checkpoint();
      const keep = async (text: string): Promise<void> => {
        const vector = await embedOne(text, modelId);
        known.set(text, vector);
        kept.add(modelId, text, vector);
      };
      await Promise.all(left.slice(start, start + textsAtOnce).map(keep));
    }
    return texts.map((text) => known.get(text) ?? missing());
  };

  const idOf = (modelId: string, wordsId: string): string => `${modelId}+${wordsId}+${scheme}`;

  return {
    modelId: async () => idOf(await model.modelId(), await words.modelId()),

    async *embedOperations(owner, portions, checkpoint) {
      const modelId = await model.modelId();
      const finished: string[] = [];
      for await (const written of words.embedOperations(owner, portions, checkpoint)) {
        const { operations } = written;
        const texts = [ownerText(owner), ...operations.map((operation) => operationText(owner, operation))];
        const [ofOwner, ...meanings] = await embedAll(operations.length === 0 ? [] : texts, modelId, checkpoint);
        const vectors = written.vectors.map(({ sparse }, i) =>
          operationVector(meanings[i] ?? missing(), ofOwner ?? missing(), sparse),
        );
        finished.push(...texts);
        yield { modelId: idOf(modelId, written.modelId), operations, vectors };
      }
      kept.remove(finished);
    },

    async embedQuestion(text) {
      const [{ modelId, vectors }, written] = await Promise.all([
        model.embed([text], 'query'),
        words.embedQuestion(text),
      ]);
      const vector = questionVector(vectors[0] ?? missing(), written.vector.sparse);
      return { modelId: idOf(modelId, written.modelId), vector };
    },
  };
};

/** Vectors of one model, by text. */
const createKeptVectors = () => {
  const vectors = new Map<string, Float32Array>();
  let ofModel = '';
  return {
    find: (modelId: string, text: string) => (modelId === ofModel ? vectors.get(text) : undefined),
    add(modelId: string, text: string, vector: Float32Array): void {
      if (modelId !== ofModel) vectors.clear();
      ofModel = modelId;
      if (vectors.size < keptMax) vectors.set(text, vector);
    },
    /** If it was full, work that nobody finished may have filled it: then it forgets everything. */
    remove(texts: readonly string[]): void {
      if (vectors.size >= keptMax) vectors.clear();
      for (const text of texts) vectors.delete(text);
    },
  };
};

/** No meaning: of all numbers only these are equally far from every question. */
const refused = (modelId: string) => (error: unknown) => {
  if (error instanceof TextRefusedError) return { modelId, vectors: [new Float32Array(embeddingDimension)] };
  throw error;
};

const unavailable = (because: string): PorticoError => new PorticoError('embedding_unavailable', { because });

const missing = (): never => {
  throw unavailable('it returned no vector');
};
