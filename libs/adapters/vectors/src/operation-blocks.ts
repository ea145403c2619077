import { setImmediate } from 'node:timers/promises';
import { createYielder } from '@portico/dependencies';
import {
  type CollectionId,
  type OperationBlockChange,
  packedOperationsMax,
  packOperations,
  readPackedLayout,
} from '@portico/domain';
import { type BlockLayout, layoutOf } from './block-layout.ts';
import { BlockMemory, type PlacedBlock } from './block-memory.ts';
import type { FollowingCopy } from './catch-up.ts';
import { VisibleBlocks } from './visible-blocks.ts';

/**
 * A collection's present block. It may be moved, replaced or removed between two turns of the event loop; who holds it
 * sees the new one then, or one without operations.
 */
export interface HeldBlock extends PlacedBlock {
  readonly collectionId: CollectionId;
  sequence: number;
  address: number;
  layout: BlockLayout;
}

const emptyLayout = layoutOf(readPackedLayout(packOperations([])));

/** With less room wasted than this share of the memory, it rather grows than is compacted. */
const wastedShare = 1 / 4;

/**
 * The blocks of one model, side by side in one memory. A new block goes behind the last one; the room of those that it
 * replaces is won back when all blocks close up. So the memory stays below 4/3 of what is in use, and 4 MB.
 */
export class OperationBlocks implements FollowingCopy<OperationBlockChange> {
  readonly memory: BlockMemory;
  /**
   * Asked for between parts of blocks, and between blocks: many small ones come in at a stretch. It is a short one, since
   * the system hands out new pages meanwhile, some of which take long.
   */
  readonly #othersTurn = createYielder();
  /** By ascending address. */
  readonly #blocks = new Map<CollectionId, HeldBlock>();
  readonly #visible = new WeakMap<readonly CollectionId[], VisibleBlocks<HeldBlock>>();
  /** Changes whenever a collection's block is another one, or elsewhere. */
  #generation = 0;
  /** Where the next block is written. */
  #end: number;
  #bytes = 0;

  /** It writes over what the memory has. */
  constructor(memory = new BlockMemory()) {
    this.memory = memory;
    this.#end = memory.start;
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

  /** Others have their turn between parts of a block; until it is complete, the one before it is searched. */
  async put({ collectionId, sequence, packed }: OperationBlockChange): Promise<void> {
    const stored = readPackedLayout(packed);
    if (stored.count > packedOperationsMax)
      throw new RangeError(`A block has at most ${packedOperationsMax} operations`);
    const layout = layoutOf(stored);
    await this.#makeRoom(layout.size);
    // What grows, or closes up, may have taken the stretch.
    await this.#othersTurn();
    await this.memory.write(this.#end, packed, stored, layout, this.#othersTurn);
    const present = { collectionId, sequence, layout, address: this.#end };
    const held = this.#remove(collectionId);
    this.#blocks.set(collectionId, held ? Object.assign(held, present) : present);
    this.#end += layout.size;
    this.#bytes += layout.size;
  }

  /** Others have their turn before what was read is searched. */
  async settle(): Promise<void> {
    await setImmediate();
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
    this.#bytes -= held.layout.size;
    return held;
  }

  /** The blocks of these, each once, by ascending id of the collection. */
  visibleOf(among: readonly CollectionId[]): VisibleBlocks<HeldBlock> {
    const known = this.#visible.get(among);
    if (known?.isCurrent) return known;
    const ids = [...new Set(among)].sort();
    const visible = new VisibleBlocks(
      ids.flatMap((id) => this.#blocks.get(id) ?? []),
      () => this.#generation,
    );
    this.#visible.set(among, visible);
    return visible;
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
      const size = block.layout.size;
      if (block.address !== end) {
        this.memory.move(block.address, end, size);
        block.address = end;
        this.#generation += 1;
        await this.#othersTurn();
      }
      end += size;
    }
    this.#end = end;
  }
}
