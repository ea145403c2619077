import { comparedMax, type PlacedBlock, type Portion } from './block-memory.ts';

/** Blocks of this size are compared in about three quarters of a millisecond; then others have their turn. */
const bytesOfATurn = 8 * 1024 * 1024;

/** These are all compared in full; of the others only those that can be among the best, once there are enough. */
const bytesOfTheFirstTurn = bytesOfATurn / 16;

/** Blocks that are compared in one turn. */
export interface VisiblePortion<Block extends PlacedBlock> extends Portion {
  readonly blocks: readonly Block[];
  /** Of each block, how many operations the ones before it have. */
  readonly firsts: Uint32Array;
  readonly dimensions: ReadonlySet<number>;
  /** The place among all blocks where the next portion begins. */
  readonly end: number;
}

/** Blocks that searches of the same collections compare, with what each of these would have to gather of them. */
export class VisibleBlocks<Block extends PlacedBlock> {
  readonly blocks: readonly Block[];
  readonly #generation: () => number;
  readonly #since: number;
  readonly #portions = new Map<number, VisiblePortion<Block>>();

  /** The generation is another one whenever any block was moved, replaced or removed. */
  constructor(blocks: readonly Block[], generation: () => number) {
    this.blocks = blocks;
    this.#generation = generation;
    this.#since = generation();
  }

  /** Whether all blocks are as they were. If not, a search that has begun goes on with them as they are then. */
  get isCurrent(): boolean {
    return this.#since === this.#generation();
  }

  /** The portion that begins at this place, as its blocks are now; undefined behind the last block. */
  portionFrom(from: number): VisiblePortion<Block> | undefined {
    if (from >= this.blocks.length) return undefined;
    if (!this.isCurrent) return portionOf(this.blocks, from);
    const known = this.#portions.get(from);
    if (known) return known;
    const portion = portionOf(this.blocks, from);
    this.#portions.set(from, portion);
    return portion;
  }
}

const portionOf = <Block extends PlacedBlock>(all: readonly Block[], from: number): VisiblePortion<Block> => {
  const end = endOfPortion(all, from);
  const blocks = all.slice(from, end).filter(({ layout }) => layout.count > 0);
  const firsts = new Uint32Array(blocks.length);
  let count = 0;
  for (const [number, { layout }] of blocks.entries()) {
    firsts[number] = count;
    count += layout.count;
  }
  return {
    blocks,
    addresses: Uint32Array.from(blocks, ({ address }) => address),
    firsts,
    count,
    dimensions: new Set(blocks.map(({ layout }) => layout.dimension)),
    end,
  };
};

/** Where what is compared in one turn ends, which is more than nothing. */
const endOfPortion = (all: readonly PlacedBlock[], from: number): number => {
  const size = from === 0 ? bytesOfTheFirstTurn : bytesOfATurn;
  let [next, bytes, count] = [from, 0, 0];
  for (; bytes < size; next += 1) {
    const layout = all[next]?.layout;
    count += layout?.count ?? 0;
    if (!layout || count > comparedMax) break;
    bytes += layout.size;
  }
  return next;
};
