import { setImmediate as othersTurn } from 'node:timers/promises';
import { blockBatchSize } from '@portico/dependencies';
import type {
  OperationBlockStore,
  OperationIndex,
  OperationKey,
  OperationMatch,
  OperationQuery,
} from '@portico/domain';
import { bestScores } from './best-scores.ts';
import { BlockMemory, comparedMax, type Query } from './block-memory.ts';
import { CatchUp } from './catch-up.ts';
import { type HeldBlock, OperationBlocks } from './operation-blocks.ts';
import { SearchedModels, usualIdleMs } from './searched-models.ts';

/** Blocks of this size are compared in about two milliseconds; then others have their turn. */
const bytesOfATurn = 4 * 1024 * 1024;

/**
 * An exact index in the memory of the process, which holds the blocks of the model that searches ask for as they are
 * stored: about half a kilobyte per operation at 256 dimensions. It compares the query with every operation of the
 * given collections, in portions, and reads from the store what it has not seen. Among equal similarities the lesser
 * collection id comes first, then the lesser key. A query that is not finite, or whose dimension is not the model's,
 * causes a `RangeError`.
 */
export const createEmbeddedOperationIndex = (ports: {
  readonly blocks: Pick<OperationBlockStore, 'changedSince' | 'collectionsAfter'>;
  readonly idleMs?: number;
}): OperationIndex => {
  const models = new SearchedModels((modelId) => {
    const blocks = new OperationBlocks();
    return { blocks, catchUp: new CatchUp(ports.blocks, blockBatchSize, modelId, blocks) };
  }, ports.idleMs ?? usualIdleMs);

  return {
    async search(query) {
      check(query);
      if (query.among.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
      return models.during(query.modelId, async ({ blocks, catchUp }) => {
        await catchUp.read(query.asOf);
        return { matches: await rank(blocks, query), isFallback: false };
      });
    },
    /** It works as long as it can read what it has not seen. */
    async check() {
      await ports.blocks.changedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
    },
  };
};

const check = ({ vector: { dense, sparse } }: OperationQuery): void => {
  if (![dense, sparse.weights].every((numbers) => numbers.every(Number.isFinite))) {
    throw new RangeError('A vector has a number that is not finite');
  }
};

/** The best of each portion, of which the best are taken. */
const rank = async (blocks: OperationBlocks, query: OperationQuery): Promise<readonly OperationMatch[]> => {
  const quantised = BlockMemory.quantised(query.vector);
  const all = blocks.blocksOf(query.among);
  let found: readonly OperationMatch[] = [];
  for (let from = 0; from < all.length;) {
    if (from > 0) await othersTurn();
    const { portion, next } = portionFrom(from, all, blocks);
    // What only equals the last of enough comes after it.
    const last = found[query.limit - 1]?.similarity ?? -Infinity;
    const better = bestOf(portion, blocks.memory, query, quantised, last);
    found = [...found, ...better].sort((a, b) => b.similarity - a.similarity).slice(0, query.limit);
    from = next;
  }
  return found;
};

/** What is compared in one turn: the present blocks, since some may have been replaced or removed since the search began. */
const portionFrom = (from: number, all: readonly HeldBlock[], blocks: OperationBlocks) => {
  const portion: HeldBlock[] = [];
  let [next, bytes, count] = [from, 0, 0];
  for (; next < all.length && bytes < bytesOfATurn; next += 1) {
    const held = all[next];
    const block = held && blocks.blockOf(held.collectionId);
    if (!block || block.layout.count === 0) continue;
    count += block.layout.count;
    if (count > comparedMax) break;
    portion.push(block);
    bytes += block.layout.end;
  }
  return { portion, next };
};

const bestOf = (
  portion: readonly HeldBlock[],
  memory: BlockMemory,
  { vector: { dense }, method, limit }: OperationQuery,
  query: Query,
  above: number,
): readonly OperationMatch[] => {
  const firsts: number[] = [];
  let count = 0;
  for (const { layout } of portion) {
    if (layout.dimension !== dense.length)
      throw new RangeError(`A vector has ${layout.dimension} dimensions, not ${dense.length}`);
    firsts.push(count);
    count += layout.count;
  }
  const scores = memory.score(portion, query);
  if (method !== null) memory.keepMethod(portion, method, scores);
  const kept = memory.keepAbove(above, scores);
  return bestScores(kept.scores, limit)
    .slice(0, limit)
    .flatMap((at) => {
      const position = kept.places[at] ?? 0;
      const place = lastUpTo(position, firsts);
      const block = portion[place];
      if (!block) return [];
      const key = memory.keyAt(block, position - (firsts[place] ?? 0)) as OperationKey;
      return [{ collectionId: block.collectionId, key, similarity: kept.scores[at] ?? 0 }];
    });
};

/** The place of the last of these ascending numbers that is not above `wanted`. */
const lastUpTo = (wanted: number, numbers: readonly number[]): number => {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
};
