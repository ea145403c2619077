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
import { bestScores } from './best-scores.ts';
import { Blocks, type Shape } from './blocks.ts';
import { CatchUp } from './catch-up.ts';
import { levelsOf } from './kernel.ts';
import { SearchedModels, usualIdleMs } from './searched-models.ts';

/**
 * An exact index in the memory of the process, 3.9 KB per vector: it returns what comparing the query with every visible
 * vector would. It reads from the store what it has not seen. It holds the vectors of the model that searches ask for;
 * after a change of the model those of both for a short while (`idleMs`). A vector that is zero, or does not have 768
 * finite numbers, causes a `RangeError`.
 */
export const createEmbeddedVectorIndex = (ports: {
  readonly embeddings: Pick<EmbeddingStore, 'changedSince' | 'collectionsAfter'>;
  readonly idleMs?: number;
}): VectorIndex => {
  const models = new SearchedModels({
    open: (modelId) => {
      const blocks = new Blocks(read);
      return { blocks, catchUp: new CatchUp(ports.embeddings, embeddingBatchSize, modelId, blocks) };
    },
    idleMs: ports.idleMs ?? usualIdleMs,
  });

  return {
    kind: 'embedded',
    async remove(collectionId) {
      for (const { blocks, catchUp } of models.all) {
        catchUp.beforeRemoving(collectionId);
        blocks.delete(collectionId);
      }
    },
    async search(query) {
      const vector = unitOf(query.vector);
      if (query.among.length === 0 || query.limit < 1) {
        return { matches: [], isFallback: false };
      }
      return models.during(query.modelId, async ({ blocks, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: best(blocks, { ...query, vector }), isFallback: false };
      });
    },
    async forget(modelId) {
      models.drop(modelId);
    },
    /** It works as long as it can read what it has not seen. */
    async check() {
      await ports.embeddings.changedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};

/** The vector in full is not in the block: a search reads the blocks of all, and only a few vectors. */
interface Row extends Shape {
  readonly vector: Float32Array;
}

/** A collection's block: the header, its vector as one row of 8 bits a number, and the row's scale. */
const place = { header: 0, row: 32, scale: 32 + embeddingDimension } as const;
const block = new Uint8Array(place.scale + 4);
new Uint32Array(block.buffer, place.header, 3).set([1, 1, embeddingDimension]);

/** Writes each block into the same bytes. */
const read = ({ vector }: EmbeddingChange): { readonly bytes: Uint8Array; readonly shape: Row } => {
  const unit = unitOf(vector);
  const scale = quantise(unit, new Int8Array(block.buffer, place.row, embeddingDimension));
  new Float32Array(block.buffer, place.scale, 1)[0] = scale;
  return { bytes: block, shape: { count: 1, dimension: embeddingDimension, vector: unit } };
};

/** The vector at length 1; throws a `RangeError` for one that cannot be compared. */
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

/** More than half, by what the division and the scale lose in a step of 8 or 16 bits. */
const half = 0.5001;
const levelMax = 127;

/**
 * More than what sums of 32 bits lose in a bound: each of some 60 operations at most 2^-24 of the sum of the products'
 * sizes, which is at most 1 by Cauchy and Schwarz.
 */
const rounding = 1e-5;

/**
 * How far a similarity may be above that of the row in 8 bits, in multiples of the row's scale. A number of the vector is
 * off by at most half the scale, so by Hölder's inequality the sum of products is by half the sum of the query's sizes;
 * and the query in 16 bits is off by half a step for each of the row's numbers.
 */
const reachOf = (query: Float32Array, step: number): number =>
  half * (query.reduce((sum, x) => sum + Math.abs(x), 0) + step * levelMax * embeddingDimension);

/**
 * Each row of 8 bits tells how similar its vector is at most. As many vectors as are asked for are compared in full, those
 * with the greatest bounds: the least of their scores is what the best have at least. So the others with bounds that are
 * no less are compared, too. The query has unit length.
 */
const best = (blocks: Blocks<EmbeddingChange, Row>, { vector, among, limit }: VectorQuery): readonly VectorMatch[] => {
  const visible = blocks.visible(among);
  const query = levelsOf(vector);
  const bounds = blocks.score(visible, query, reachOf(vector, query.step));
  const scoreAt = (at: number): number => {
    const found = visible.blocks[at];
    return found ? similarity(vector, found.shape.vector) : 0;
  };
  const first = bestScores(bounds, limit).slice(0, limit).map(scoreAt);
  const least = first.length < limit ? 0 : first.reduce((less, score) => Math.min(less, score), 1);
  const compared = placesFrom(bounds, least - rounding);
  const scores = Float32Array.from(compared, scoreAt);
  return bestScores(scores, limit).flatMap((at) => {
    const found = visible.blocks[compared[at] ?? 0];
    return found ? { collectionId: found.collectionId, score: scores[at] ?? 0 } : [];
  });
};

/** The places of the bounds that are at least so great; of all if that is not above 0: lesser scores become 0, too. */
const placesFrom = (bounds: Float32Array, least: number): Uint32Array => {
  const places = new Uint32Array(bounds.length);
  let count = 0;
  for (let at = 0; at < bounds.length; at += 1) if (least <= 0 || (bounds[at] ?? 0) >= least) places[count++] = at;
  return places.subarray(0, count);
};

/** The cosine of two vectors of length 1, from 0 on. */
const similarity = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < embeddingDimension; i += 1) sum += (one[i] ?? 0) * (other[i] ?? 0);
  return Math.min(1, Math.max(0, sum));
};
