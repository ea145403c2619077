import { type Change, createYielder } from '@portico/dependencies';
import type { CollectionId } from '@portico/domain';
import type { Replica } from './catch-up.ts';
import { Kernel, type QuantisedQuery, scoredRowsMax } from './kernel.ts';

/** The dimensions of a block. */
export interface Shape {
  /** The number of rows. */
  readonly count: number;
  /** The number of components per row. */
  readonly dimension: number;
}

export interface BlockChange extends Change {
  readonly collectionId: CollectionId;
}

/** The current block of a collection. */
export interface Block<BlockShape extends Shape> {
  readonly collectionId: CollectionId;
  sequence: number;
  shape: BlockShape;
  /** The address of the first byte, a multiple of 16. */
  address: number;
  readonly size: number;
}

/** Blocks whose rows are numbered consecutively, starting with the first block. */
export interface VisibleBlocks<BlockShape extends Shape> {
  readonly blocks: readonly Block<BlockShape>[];
  readonly addresses: Uint32Array;
  /** The index of each block's first row; the last entry is the total number of rows. */
  readonly rowOffsets: Uint32Array;
  readonly dimensions: ReadonlySet<number>;
  readonly generation: number;
}

/** If the wasted share of the memory is smaller than this, the memory grows instead of being compacted. */
const wastedShareMax = 1 / 4;

/**
 * The index of one model: a block per collection, all in one kernel's memory, in the format that searches read. A new
 * block is appended unless it has the same size as the block that it replaces. The space of removed blocks is reclaimed
 * by compaction, which keeps the memory below 5/3 of the used size.
 */
export class Blocks<Item extends BlockChange, BlockShape extends Shape> implements Replica<Item> {
  readonly kernel = new Kernel();
  readonly #readBlock: (change: Item) => { readonly bytes: Uint8Array; readonly shape: BlockShape };
  readonly #yieldToEventLoop = createYielder();
  /** In order of ascending address. */
  readonly #blocks = new Map<CollectionId, Block<BlockShape>>();
  readonly #visibleBlocks = new WeakMap<readonly CollectionId[], VisibleBlocks<BlockShape>>();
  /** Changes when the address or the shape of a block changes. */
  #generation = 0;
  /** The address for the next block. */
  #end = this.kernel.start;
  #bytes = 0;

  /** `read` returns the block for a change. The block's bytes are copied before `read` is called again. */
  constructor(read: (change: Item) => { readonly bytes: Uint8Array; readonly shape: BlockShape }) {
    this.#readBlock = read;
  }

  get bytes(): number {
    return this.#bytes;
  }

  listCollections(): readonly CollectionId[] {
    return [...this.#blocks.keys()];
  }

  sequenceOf(collectionId: CollectionId): number | undefined {
    return this.#blocks.get(collectionId)?.sequence;
  }

  /**
   * Writes a block. Until then, searches use the previous one. Yields to the event loop, since the first search reads
   * all blocks.
   */
  async put(change: Item): Promise<void> {
    await this.#yieldToEventLoop();
    const { bytes, shape } = this.#readBlock(change);
    const { collectionId, sequence } = change;
    const size = 16 * Math.ceil(bytes.length / 16);
    const previousBlock = this.#blocks.get(collectionId);
    if (previousBlock?.size === size) {
      this.kernel.views.bytes.set(bytes, previousBlock.address);
      if (previousBlock.shape.count !== shape.count || previousBlock.shape.dimension !== shape.dimension)
        this.#generation += 1;
      previousBlock.sequence = sequence;
      previousBlock.shape = shape;
      return;
    }
    await this.#makeRoom(size);
    this.delete(collectionId);
    this.kernel.views.bytes.set(bytes, this.#end);
    this.#blocks.set(collectionId, { collectionId, sequence, shape, size, address: this.#end });
    this.#end += size;
    this.#bytes += size;
  }

  delete(collectionId: CollectionId): void {
    this.#generation += 1;
    this.#bytes -= this.#blocks.get(collectionId)?.size ?? 0;
    this.#blocks.delete(collectionId);
  }

  /**
   * Returns the blocks of these collections, each once. Looking up 100,000 ids takes longer than comparing their
   * vectors, so the result is cached per array until a block changes.
   */
  selectVisible(candidateIds: readonly CollectionId[]): VisibleBlocks<BlockShape> {
    const cachedBlocks = this.#visibleBlocks.get(candidateIds);
    if (cachedBlocks?.generation === this.#generation) return cachedBlocks;
    const blocks: Block<BlockShape>[] = [];
    for (const id of new Set(candidateIds)) {
      const block = this.#blocks.get(id);
      if (block && block.shape.count > 0) blocks.push(block);
    }
    const rowOffsets = new Uint32Array(blocks.length + 1);
    for (const [i, { shape }] of blocks.entries()) rowOffsets[i + 1] = (rowOffsets[i] ?? 0) + shape.count;
    const addresses = Uint32Array.from(blocks, ({ address }) => address);
    const dimensions = new Set(blocks.map(({ shape }) => shape.dimension));
    const visibleBlocks = { blocks, addresses, rowOffsets, dimensions, generation: this.#generation };
    this.#visibleBlocks.set(candidateIds, visibleBlocks);
    return visibleBlocks;
  }

  /** Returns the score of each row in order, as defined by `Kernel.scoreRows`. */
  score(
    { blocks, addresses, rowOffsets, dimensions }: VisibleBlocks<BlockShape>,
    query: QuantisedQuery,
    margin: number,
  ): Float32Array {
    const { length } = query.levels;
    for (const dimension of dimensions) {
      if (dimension !== length) throw new RangeError(`A vector has ${dimension} dimensions, not ${length}`);
    }
    const scores = new Float32Array(rowOffsets[blocks.length] ?? 0);
    let startIndex = 0;
    while (startIndex < blocks.length) {
      const firstRow = rowOffsets[startIndex] ?? 0;
      let endIndex = startIndex + 1;
      while (endIndex < blocks.length && (rowOffsets[endIndex + 1] ?? 0) - firstRow <= scoredRowsMax) endIndex += 1;
      const rows = (rowOffsets[endIndex] ?? 0) - firstRow;
      scores.set(this.kernel.scoreRows(addresses.subarray(startIndex, endIndex), rows, query, margin), firstRow);
      startIndex = endIndex;
    }
    return scores;
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#end + size <= this.kernel.end) return;
    const wastedBytes = this.#end - this.kernel.start - this.#bytes;
    if (wastedBytes >= size && wastedBytes >= wastedShareMax * this.kernel.end) await this.#compact();
    this.kernel.growTo(this.#end + size);
  }

  /** Moves each block to the end of the previous one. All blocks can be searched between moves. */
  async #compact(): Promise<void> {
    let end = this.kernel.start;
    for (const block of this.#blocks.values()) {
      if (block.address !== end) {
        this.kernel.views.bytes.copyWithin(end, block.address, block.address + block.size);
        block.address = end;
        this.#generation += 1;
        await this.#yieldToEventLoop();
      }
      end += block.size;
    }
    this.#end = end;
  }
}
