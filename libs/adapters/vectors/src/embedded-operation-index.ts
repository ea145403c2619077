import { blockBatchSize } from '@portico/dependencies';
import {
  keyLength,
  methodLength,
  nameLength,
  type OperationBlockChange,
  type OperationBlockStore,
  type OperationIndex,
  type OperationKey,
  type OperationMatch,
  type OperationQuery,
  type PackedLayout,
  packedOperationsMax,
  readPackedLayout,
  type SparseVector,
} from '@portico/domain';
import { findBestPositions } from './find-best-positions.ts';
import { type Block, Blocks } from './blocks.ts';
import { CatchUp } from './catch-up.ts';
import { type Kernel, quantiseQuery } from './kernel.ts';
import { ModelCache, defaultIdleMs } from './model-cache.ts';

/**
 * Creates an exact index in the process's memory. It contains the blocks of the model that searches use, in their
 * stored format: about 420 bytes per operation at 256 dimensions. It compares the query with every operation in the
 * given collections, and reads new changes from the store. Matches with equal similarity are ordered by collection id,
 * then by key, both ascending. A query that is not finite, or whose dimension differs from the model's, causes a
 * `RangeError`.
 */
export const createEmbeddedOperationIndex = (ports: {
  readonly blocks: Pick<OperationBlockStore, 'listChangedSince' | 'listCollectionsAfter'>;
  readonly idleMs?: number;
}): OperationIndex => {
  const models = new ModelCache({
    open: (modelId) => {
      const blocks = new Blocks(readBlock);
      return { blocks, catchUp: new CatchUp(ports.blocks, blockBatchSize, modelId, blocks) };
    },
    idleMs: ports.idleMs ?? defaultIdleMs,
  });

  return {
    async search(query) {
      assertFinite(query);
      if (query.candidateIds.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
      return models.use(query.modelId, async ({ blocks, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: findBest(blocks, query), isFallback: false };
      });
    },
    /** The check succeeds if new changes can be read. */
    async check() {
      await ports.blocks.listChangedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};

const readBlock = ({ packed }: OperationBlockChange) => {
  const shape = readPackedLayout(packed);
  if (shape.count > packedOperationsMax) throw new RangeError(`A block has at most ${packedOperationsMax} operations`);
  return { bytes: packed, shape };
};

const assertFinite = ({ vector: { dense, sparse } }: OperationQuery): void => {
  if (!dense.every(Number.isFinite) || !sparse.weights.every(Number.isFinite)) {
    throw new RangeError('A vector has a component that is not finite');
  }
};

const findBest = (
  blocks: Blocks<OperationBlockChange, PackedLayout>,
  { vector: { dense, sparse }, candidateIds, method, limit }: OperationQuery,
): readonly OperationMatch[] => {
  const visibleBlocks = blocks.selectVisible(candidateIds);
  const scores = blocks.score(visibleBlocks, quantiseQuery(dense), 0);
  const words = method === null ? null : wordsOf(method);
  for (const [i, block] of visibleBlocks.blocks.entries()) {
    const firstRow = visibleBlocks.rowOffsets[i] ?? 0;
    addFeatures(block, blocks.kernel, sparse, scores, firstRow);
    if (words) filterByMethod(block, blocks.kernel, words, scores, firstRow);
  }
  return findBestPositions(scores, limit)
    .flatMap((position): OperationMatch | [] => {
      const i = findLastAtMost(position, visibleBlocks.rowOffsets);
      const block = visibleBlocks.blocks[i];
      if (!block) return [];
      const key = keyAt(block, blocks.kernel, position - (visibleBlocks.rowOffsets[i] ?? 0));
      return { collectionId: block.collectionId, key, similarity: scores[position] ?? 0 };
    })
    .sort(compareBySimilarity)
    .slice(0, limit);
};

/**
 * Adds the weight products of the features that the query and the block share to the operations' scores, from `firstRow`
 * on. The features of both are in ascending order.
 */
const addFeatures = (
  { address, shape }: Block<PackedLayout>,
  { views: { words, floats, halves } }: Kernel,
  { indices, weights }: SparseVector,
  scores: Float32Array,
  firstRow: number,
): void => {
  const starts = (address + shape.starts) / 4;
  const weightsOfEntries = (address + shape.weights) / 4;
  const rows = (address + shape.rows) / 2;
  let feature = (address + shape.features) / 4;
  const end = feature + shape.featureCount;
  for (let i = 0; i < indices.length; i += 1) {
    const target = indices[i] ?? 0;
    feature = lowerBound(target, words, feature, end);
    if (feature === end) return;
    if (words[feature] !== target) continue;
    const start = starts + feature - end + shape.featureCount;
    const weight = weights[i] ?? 0;
    const entryEnd = words[start + 1] ?? 0;
    for (let entry = words[start] ?? 0; entry < entryEnd; entry += 1) {
      const position = firstRow + (halves[rows + entry] ?? 0);
      scores[position] = (scores[position] ?? 0) + weight * (floats[weightsOfEntries + entry] ?? 0);
    }
  }
};

/**
 * Returns the index of the first word between `low` and `high` that is at least `target`, or `high` if there is none.
 * The words are in ascending order.
 */
const lowerBound = (target: number, words: Uint32Array, low: number, high: number): number => {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns a method as two 32-bit words. */
const wordsOf = (method: string): Uint32Array =>
  new Uint32Array(Uint8Array.from(Buffer.from(method.padEnd(methodLength))).buffer);

/** Sets the scores of operations with a different method to -Infinity, from `firstRow` on. */
const filterByMethod = (
  { address, shape }: Block<PackedLayout>,
  { views: { words } }: Kernel,
  [start, end]: Uint32Array,
  scores: Float32Array,
  firstRow: number,
): void => {
  let word = (address + shape.names + keyLength) / 4;
  for (let row = 0; row < shape.count; row += 1) {
    if (words[word] !== start || words[word + 1] !== end) scores[firstRow + row] = -Infinity;
    word += nameLength / 4;
  }
};

const keyAt = ({ address, shape }: Block<PackedLayout>, { views: { bytes } }: Kernel, row: number): OperationKey => {
  const start = address + shape.names + row * nameLength;
  return bytes.toString('latin1', start, start + keyLength) as OperationKey;
};

/** Returns the index of the last of these ascending numbers that is at most `target`. */
const findLastAtMost = (target: number, numbers: Uint32Array): number =>
  lowerBound(target + 1, numbers, 0, numbers.length) - 1;

const compareBySimilarity = (x: OperationMatch, y: OperationMatch): number =>
  y.similarity - x.similarity || compareText(x.collectionId, y.collectionId) || compareText(x.key, y.key);

const compareText = (x: string, y: string): number => (x === y ? 0 : x < y ? -1 : 1);
