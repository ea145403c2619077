import { createTurns } from '@portico/dependencies';
import {
  type CollectionId,
  type OperationBlockChange,
  type PackedLayout,
  packedOperationsMax,
  packOperations,
  readPackedLayout,
} from '@portico/domain';
import { BlockMemory, type PlacedBlock, sizeOf } from './block-memory.ts';
import type { FollowingCopy } from './catch-up.ts';

/**
 * A collection's present block. It may be moved, replaced or removed between two turns of the event loop; who holds it
 * sees the new one then, or one without operations.
 */
export interface HeldBlock extends PlacedBlock {
  readonly collectionId: CollectionId;
  sequence: number;
  address: number;
  layout: PackedLayout;
  longest: number;
}

interface Visible {
  readonly generation: number;
  readonly blocks: readonly HeldBlock[];
}

const emptyLayout = readPackedLayout(packOperations([]));

/** What is brought in at a stretch: where memory is new, each page of it may take 20 µs. */
const bytesAtOnce = 512 * 1024;

/** With less room wasted than this share of the memory, it rather grows than is compacted. */
const wastedShare = 1 / 4;

/**
 * The blocks of one model, side by side in one memory. A new block goes behind the last one; the room of those that it
 * replaces is won back when all blocks close up. So the memory stays below 4/3 of what is in use, and 4 MB.
 */
export class OperationBlocks implements FollowingCopy<OperationBlockChange> {
  readonly memory = new BlockMemory();
  /** Asked for between parts of blocks, and between blocks: many small ones come in at a stretch. */
  readonly #othersTurn = createTurns();
  /** By ascending address. */
  readonly #blocks = new Map<CollectionId, HeldBlock>();
  readonly #visible = new WeakMap<readonly CollectionId[], Visible>();
  /** Changes whenever a collection's block is another one. */
  #generation = 0;
  /** Where the next block is written. */
  #end = this.memory.start;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  collections(): readonly CollectionId[] {
    return [...this.#blocks.keys()];
  }

  sequenceOf(collectionId: CollectionId): number | undefined {
    return this.#blocks.get(collectionId)?.sequence;
  }

  /** Others have their turn between parts of a block; until it is complete, the one before it is searched. */
  async put({ collectionId, sequence, packed }: OperationBlockChange): Promise<void> {
    const layout = readPackedLayout(packed);
    if (layout.count > packedOperationsMax)
      throw new RangeError(`A block has at most ${packedOperationsMax} operations`);
    const size = sizeOf(layout);
    await this.#makeRoom(size);
    for (let from = 0; from < packed.length; from += bytesAtOnce) {
      this.memory.write(this.#end + from, packed.subarray(from, from + bytesAtOnce));
      await this.#othersTurn();
    }
    const longest = await this.#measure(this.#end, layout);
    const present = { collectionId, sequence, layout, longest, address: this.#end };
    const held = this.#remove(collectionId);
    this.#blocks.set(collectionId, held ? Object.assign(held, present) : present);
    this.#end += size;
    this.#bytes += size;
  }

  /** The length of the longest of its vectors, which are summed up behind it. */
  async #measure(address: number, layout: PackedLayout): Promise<number> {
    const atOnce = Math.ceil(bytesAtOnce / Math.max(1, layout.dimension));
    let longest = 0;
    for (let first = 0; first < layout.count; first += atOnce) {
      const count = Math.min(atOnce, layout.count - first);
      longest = Math.max(longest, this.memory.measure(address, layout, first, count));
      await this.#othersTurn();
    }
    return longest;
  }

  delete(collectionId: CollectionId): void {
    const held = this.#remove(collectionId);
    if (held) held.layout = emptyLayout;
  }

  #remove(collectionId: CollectionId): HeldBlock | undefined {
    this.#generation += 1;
    const held = this.#blocks.get(collectionId);
    if (!held) return undefined;
    this.#blocks.delete(collectionId);
    this.#bytes -= sizeOf(held.layout);
    return held;
  }

  /** The blocks of these, each once, by ascending id of the collection. */
  blocksOf(among: readonly CollectionId[]): readonly HeldBlock[] {
    const known = this.#visible.get(among);
    if (known?.generation === this.#generation) return known.blocks;
    const ids = [...new Set(among)].sort();
    const blocks = ids.flatMap((id) => this.#blocks.get(id) ?? []);
    this.#visible.set(among, { generation: this.#generation, blocks });
    return blocks;
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#end + size <= this.memory.end) return;
    const wasted = this.#end - this.memory.start - this.#bytes;
    if (wasted >= size && wasted >= wastedShare * this.memory.end) await this.#closeUp();
    this.memory.growTo(this.#end + size);
  }

  /** Moves each block down to the one before it. Every block can be searched between two moves. */
  async #closeUp(): Promise<void> {
    let end = this.memory.start;
    for (const block of this.#blocks.values()) {
      const size = sizeOf(block.layout);
      if (block.address !== end) {
        this.memory.move(block.address, end, size);
        block.address = end;
        await this.#othersTurn();
      }
      end += size;
    }
    this.#end = end;
  }
}
