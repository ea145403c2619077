import { embeddingBatchSize } from '@portico/dependencies';
import {
  embeddingDimension,
  type EmbeddingChange,
  type EmbeddingStore,
  quantise,
  type VectorIndex,
  type VectorMatch,
  type VectorQuery,
} from '@portico/domain';
import { findBestPositions } from './find-best-positions.ts';
import { Blocks, type Shape } from './blocks.ts';
import { CatchUp } from './catch-up.ts';
import { quantiseQuery } from './kernel.ts';
import { ModelCache, defaultIdleMs } from './model-cache.ts';

/**
 * Creates an exact index in the process's memory, which uses 3.9 KB per vector: the results equal those of comparing
 * the query with every visible vector. The index reads new changes from the store. It contains the vectors of the model
 * that searches use and, for a short while after the model changes (`idleMs`), those of both models. A vector that is
 * zero, or does not have 768 finite components, causes a `RangeError`.
 */
export const createEmbeddedVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'listChangedSince' | 'listCollectionsAfter'>;
  readonly idleMs?: number;
}): VectorIndex => {
  const models = new ModelCache({
    open: (modelId) => {
      const blocks = new Blocks(readBlock);
      return { blocks, catchUp: new CatchUp(ports.embeddings, embeddingBatchSize, modelId, blocks) };
    },
    idleMs: ports.idleMs ?? defaultIdleMs,
  });

  return {
    kind: 'embedded',
    async remove(collectionId) {
      for (const { blocks, catchUp } of models.all) {
        catchUp.recordRemoval(collectionId);
        blocks.delete(collectionId);
      }
    },
    async search(query) {
      const vector = unitOf(query.vector);
      if (query.candidateIds.length === 0 || query.limit < 1) {
        return { matches: [], isFallback: false };
      }
      return models.use(query.modelId, async ({ blocks, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: findBest(blocks, { ...query, vector }), isFallback: false };
      });
    },
    async dropModel(modelId) {
      models.drop(modelId);
    },
    /** The check succeeds if new changes can be read. */
    async check() {
      await ports.embeddings.listChangedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};

/**
 * The shape of a block, with the full vector. The vector is not in the block, because a search reads all blocks, but
 * only a few full vectors.
 */
interface VectorShape extends Shape {
  readonly vector: Float32Array;
}

/**
 * The layout of a collection's block: the header, the vector as one row with 8 bits per component, and the row's scale.
 */
const layout = { header: 0, row: 32, scale: 32 + embeddingDimension } as const;
const blockBuffer = new Uint8Array(layout.scale + 4);
new Uint32Array(blockBuffer.buffer, layout.header, 3).set([1, 1, embeddingDimension]);

/** Converts a change into a block. Every block is written into the same buffer. */
const readBlock = ({ vector }: EmbeddingChange): { readonly bytes: Uint8Array; readonly shape: VectorShape } => {
  const unitVector = unitOf(vector);
  const scale = quantise(unitVector, new Int8Array(blockBuffer.buffer, layout.row, embeddingDimension));
  new Float32Array(blockBuffer.buffer, layout.scale, 1)[0] = scale;
  return { bytes: blockBuffer, shape: { count: 1, dimension: embeddingDimension, vector: unitVector } };
};

/** Returns the vector normalised to unit length. Throws a `RangeError` if it cannot be compared. */
const unitOf = (vector: Float32Array): Float32Array => {
  if (vector.length !== embeddingDimension) {
    throw new RangeError(`A vector has ${embeddingDimension} dimensions, not ${vector.length}`);
  }
  let squares = 0;
  for (let i = 0; i < embeddingDimension; i += 1) {
    const component = vector[i] ?? 0;
    squares += component * component;
  }
  if (!Number.isFinite(squares)) throw new RangeError('A vector has a component that is not a finite number');
  if (squares === 0) throw new RangeError('A vector whose components are all 0 has no direction to compare');
  const factor = 1 / Math.sqrt(squares);
  return vector.map((x) => x * factor);
};

/** Slightly more than half, to allow for rounding errors in the division and in the scale of 8-bit or 16-bit steps. */
const half = 0.5001;
const levelMax = 127;

/**
 * More than the rounding error of a bound computed with 32-bit floats: each of about 60 operations loses at most 2^-24
 * of the sum of the products' magnitudes, which is at most 1 by the Cauchy-Schwarz inequality.
 */
const roundingErrorMax = 1e-5;

/**
 * Returns how far a similarity can exceed that of the 8-bit row, in multiples of the row's scale. Each component of the
 * vector is off by at most half the scale, so by Hölder's inequality the dot product is off by at most half the sum of
 * the query's magnitudes. In addition, the 16-bit query is off by half a step for each component of the row.
 */
const marginOf = (query: Float32Array, step: number): number =>
  half * (query.reduce((sum, x) => sum + Math.abs(x), 0) + step * levelMax * embeddingDimension);

/**
 * Returns the best matches. Each 8-bit row gives an upper bound for the similarity of its vector. First, the `limit`
 * vectors with the greatest bounds are compared in full. The lowest of their scores is a lower bound for the scores of
 * the best matches, so all other vectors whose upper bound is at least that high are also compared in full. The query
 * has unit length.
 */
const findBest = (
  blocks: Blocks<EmbeddingChange, VectorShape>,
  { vector, candidateIds, limit }: VectorQuery,
): readonly VectorMatch[] => {
  const visibleBlocks = blocks.selectVisible(candidateIds);
  const query = quantiseQuery(vector);
  const bounds = blocks.score(visibleBlocks, query, marginOf(vector, query.step));
  const scoreAt = (position: number): number => {
    const match = visibleBlocks.blocks[position];
    return match ? computeSimilarity(vector, match.shape.vector) : 0;
  };
  const firstScores = findBestPositions(bounds, limit).slice(0, limit).map(scoreAt);
  const threshold = firstScores.length < limit ? 0 : firstScores.reduce((lowest, score) => Math.min(lowest, score), 1);
  const candidates = positionsFrom(bounds, threshold - roundingErrorMax);
  const scores = Float32Array.from(candidates, scoreAt);
  return findBestPositions(scores, limit).flatMap((position) => {
    const match = visibleBlocks.blocks[candidates[position] ?? 0];
    return match ? { collectionId: match.collectionId, score: scores[position] ?? 0 } : [];
  });
};

/**
 * Returns the positions of the bounds that reach the threshold, or all positions if the threshold is not above 0, since
 * lower scores become 0.
 */
const positionsFrom = (bounds: Float32Array, threshold: number): Uint32Array => {
  const positions = new Uint32Array(bounds.length);
  let count = 0;
  for (let position = 0; position < bounds.length; position += 1)
    if (threshold <= 0 || (bounds[position] ?? 0) >= threshold) positions[count++] = position;
  return positions.subarray(0, count);
};

/** Returns the cosine similarity of two unit vectors, limited to the range from 0 to 1. */
const computeSimilarity = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < embeddingDimension; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return Math.min(1, Math.max(0, sum));
};
