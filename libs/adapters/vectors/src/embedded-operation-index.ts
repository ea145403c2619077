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
import { BlockMemory, type Query } from './block-memory.ts';
import { CatchUp } from './catch-up.ts';
import { type HeldBlock, OperationBlocks } from './operation-blocks.ts';
import { SearchedModels, usualIdleMs } from './searched-models.ts';
import type { VisiblePortion } from './visible-blocks.ts';

/**
 * An exact index in the memory of the process, which holds the blocks of the model that searches ask for, laid out for
 * them: about half a kilobyte per operation at 256 dimensions. It compares the query with every operation of the
 * given collections that an estimate does not rule out, in portions, and reads from the store what it has not seen. Among
 * equal similarities the lesser collection id comes first, then the lesser key. A query that is not finite, or whose
 * dimension is not the model's, causes a `RangeError`.
 */
export const createEmbeddedOperationIndex = (ports: {
  readonly blocks: Pick<OperationBlockStore, 'changedSince' | 'collectionsAfter'>;
  readonly idleMs?: number;
}): OperationIndex => {
  /** That of the model dropped last, if it was not collected: V8 does not see how much it would free, and can be late. */
  let spare: WeakRef<BlockMemory> | undefined;
  const models = new SearchedModels({
    open: (modelId) => {
      const blocks = new OperationBlocks(spare?.deref());
      spare = undefined;
      return { blocks, catchUp: new CatchUp(ports.blocks, blockBatchSize, modelId, blocks) };
    },
    close: ({ blocks }) => (spare = new WeakRef(blocks.memory)),
    idleMs: ports.idleMs ?? usualIdleMs,
  });

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
  if (!areFinite(dense) || !areFinite(sparse.weights)) throw new RangeError('A vector has a number that is not finite');
};

const areFinite = (numbers: Float32Array): boolean => {
  for (let i = 0; i < numbers.length; i += 1) if (!Number.isFinite(numbers[i])) return false;
  return true;
};

/** The best of all portions, best first. */
const rank = async (blocks: OperationBlocks, query: OperationQuery): Promise<readonly OperationMatch[]> => {
  const quantised = BlockMemory.quantised(query.vector);
  const visible = blocks.visibleOf(query.among);
  const found: OperationMatch[] = [];
  let portion = visible.portionFrom(0);
  while (portion) {
    addBest(found, portion, blocks.memory, query, quantised);
    if (portion.end < visible.blocks.length) await othersTurn();
    portion = visible.portionFrom(portion.end);
  }
  return found;
};

/** Adds those of the portion that are among the best to the best of the portions before. */
const addBest = (
  found: OperationMatch[],
  portion: VisiblePortion<HeldBlock>,
  memory: BlockMemory,
  { vector: { dense }, method, limit }: OperationQuery,
  query: Query,
): void => {
  for (const dimension of portion.dimensions) {
    if (dimension !== dense.length) throw new RangeError(`A vector has ${dimension} dimensions, not ${dense.length}`);
  }
  // What only equals the last of enough comes after it.
  const lastOfEnough = () => found[limit - 1]?.similarity ?? -Infinity;
  const scores = memory.score(portion, query, lastOfEnough());
  if (method !== null) memory.keepMethod(portion.blocks, method, scores);
  const kept = memory.keepAbove(lastOfEnough(), scores);
  for (const at of bestScores(kept.scores, limit)) {
    const similarity = kept.scores[at] ?? 0;
    if (!(similarity > lastOfEnough())) break;
    const position = kept.places[at] ?? 0;
    const place = lastUpTo(position, portion.firsts);
    const block = portion.blocks[place];
    if (!block) continue;
    const key = memory.keyAt(block, position - (portion.firsts[place] ?? 0)) as OperationKey;
    insert(found, { collectionId: block.collectionId, key, similarity }, limit);
  }
};

/** Behind those that are better or equal; the last one goes if there are more than `limit`. */
const insert = (found: OperationMatch[], match: OperationMatch, limit: number): void => {
  let place = found.length < limit ? found.length : limit - 1;
  for (; place > 0; place -= 1) {
    const before = found[place - 1];
    if (!before || before.similarity >= match.similarity) break;
    found[place] = before;
  }
  found[place] = match;
};

/** The place of the last of these ascending numbers that is not above `wanted`. */
const lastUpTo = (wanted: number, numbers: Uint32Array): number => {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
};
