import { type Change, createYielder } from '@portico/dependencies';
import type { CollectionId } from '@portico/domain';
import type { FollowingCopy } from './catch-up.ts';
import { Kernel, type Levels, scoredMax } from './kernel.ts';

/** What is known of a block besides its bytes. */
export interface Shape {
  /** Rows. */
  readonly count: number;
  /** Numbers of a row. */
  readonly dimension: number;
}

export interface BlockChange extends Change {
  readonly collectionId: CollectionId;
}

/** A collection's present block. */
export interface Block<BlockShape extends Shape> {
  readonly collectionId: CollectionId;
  sequence: number;
  shape: BlockShape;
  /** Of its bytes, which begin at a multiple of 16 of the memory. */
  address: number;
  readonly size: number;
}

/** Blocks with rows, of which each row has a place: rows of the first block come first. */
export interface Visible<BlockShape extends Shape> {
  readonly blocks: readonly Block<BlockShape>[];
  readonly addresses: Uint32Array;
  /** Of each block, the place of its first row; at last how many rows there are. */
  readonly places: Uint32Array;
  readonly dimensions: ReadonlySet<number>;
  readonly generation: number;
}

/** With less room wasted than this share of the memory, it rather grows than is compacted. */
const wastedShare = 1 / 4;

/**
 * The index of one model: a block for each collection, all of them in the memory of one kernel, as they are searched. A
 * block that does not fit where the one before it was goes behind the last one; the room of those that are gone is won
 * back when all blocks close up. So the memory stays below 5/3 of what is in use.
 */
export class Blocks<Item extends BlockChange, BlockShape extends Shape> implements FollowingCopy<Item> {
  readonly kernel = new Kernel();
  readonly #read: (change: Item) => { readonly bytes: Uint8Array; readonly shape: BlockShape };
  readonly #yieldToEventLoop = createYielder();
  /** By ascending address. */
  readonly #blocks = new Map<CollectionId, Block<BlockShape>>();
  readonly #visible = new WeakMap<readonly CollectionId[], Visible<BlockShape>>();
  /** Changes whenever a collection's block has another address, or other rows. */
  #generation = 0;
  /** Where the next block is written. */
  #end = this.kernel.start;
  #bytes = 0;

  /** `read` tells the block of a change; its bytes are copied before it is called again. */
  constructor(read: (change: Item) => { readonly bytes: Uint8Array; readonly shape: BlockShape }) {
    this.#read = read;
  }

  get bytes(): number {
    return this.#bytes;
  }

  collections(): readonly CollectionId[] {
    return [...this.#blocks.keys()];
  }

  sequenceOf(collectionId: CollectionId): number | undefined {
    return this.#blocks.get(collectionId)?.sequence;
  }

  /** Until it is written, the block before it is searched. The first search reads all of them. */
  async put(change: Item): Promise<void> {
    await this.#yieldToEventLoop();
    const { bytes, shape } = this.#read(change);
    const { collectionId, sequence } = change;
    const size = 16 * Math.ceil(bytes.length / 16);
    const before = this.#blocks.get(collectionId);
    if (before?.size === size) {
      this.kernel.views.bytes.set(bytes, before.address);
      if (before.shape.count !== shape.count || before.shape.dimension !== shape.dimension) this.#generation += 1;
      Object.assign(before, { sequence, shape });
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
   * The blocks of these collections, each once. To look up 100,000 ids takes longer than to compare their vectors, so what
   * was found for an array is kept as long as it is true.
   */
  visible(among: readonly CollectionId[]): Visible<BlockShape> {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation) return known;
    const blocks: Block<BlockShape>[] = [];
    for (const id of new Set(among)) {
      const block = this.#blocks.get(id);
      if (block && block.shape.count > 0) blocks.push(block);
    }
    const places = new Uint32Array(blocks.length + 1);
    for (const [i, { shape }] of blocks.entries()) places[i + 1] = (places[i] ?? 0) + shape.count;
    const addresses = Uint32Array.from(blocks, ({ address }) => address);
    const dimensions = new Set(blocks.map(({ shape }) => shape.dimension));
    const visible = { blocks, addresses, places, dimensions, generation: this.#generation };
    this.#visible.set(among, visible);
    return visible;
  }

  /** The score of each row, by its place, as `Kernel.scoreRows` says. */
  score({ blocks, addresses, places, dimensions }: Visible<BlockShape>, query: Levels, reach: number): Float32Array {
    const { length } = query.levels;
    for (const dimension of dimensions) {
      if (dimension !== length) throw new RangeError(`A vector has ${dimension} dimensions, not ${length}`);
    }
    const scores = new Float32Array(places[blocks.length] ?? 0);
    let from = 0;
    while (from < blocks.length) {
      const first = places[from] ?? 0;
      let to = from + 1;
      while (to < blocks.length && (places[to + 1] ?? 0) - first <= scoredMax) to += 1;
      const rows = (places[to] ?? 0) - first;
      scores.set(this.kernel.scoreRows(addresses.subarray(from, to), rows, query, reach), first);
      from = to;
    }
    return scores;
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#end + size <= this.kernel.end) return;
    const wasted = this.#end - this.kernel.start - this.#bytes;
    if (wasted >= size && wasted >= wastedShare * this.kernel.end) await this.#closeUp();
    this.kernel.growTo(this.#end + size);
  }

  /** Moves each block down to the one before it. Every block can be searched between two moves. */
  async #closeUp(): Promise<void> {
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
