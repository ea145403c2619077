import { blockBatchSize, Follower } from '@portico/dependencies';
import { type OperationBlockChange, type OperationBlockStore, unpackOperations } from '@portico/domain';
import { checkVersion } from './generations.ts';
import type { BlockVersion, HeldBlock, OperationPoints } from './operation-points.ts';

export interface OperationCopyParts {
  readonly points: OperationPoints;
  readonly blocks: Pick<OperationBlockStore, 'changedSince'>;
  /** Ends long work, between two batches. */
  readonly closing: AbortSignal;
}

/**
 * The operations of one model in Qdrant, and how far they are known to be a copy of the database. Several processes
 * keep the same copy: each looks what is there before it writes, and never replaces a newer block.
 */
export class OperationCopy {
  readonly name: string;
  readonly #modelId: string;
  readonly #points: OperationPoints;
  readonly #follower: Follower<OperationBlockChange>;

  /** `dimension`: of the model's dense vectors. */
  constructor(name: string, modelId: string, dimension: number, { points, blocks, closing }: OperationCopyParts) {
    this.name = name;
    this.#modelId = modelId;
    this.#points = points;
    this.#follower = new Follower(
      blocks,
      blockBatchSize,
      { begin: () => this.#compare(dimension), apply: (_modelId, changes) => this.#apply(changes) },
      closing,
    );
  }

  isUpTo(asOf: number): boolean {
    return this.#follower.isUpTo(this.#modelId, asOf);
  }

  /** Resolves once it holds every block of the model up to `asOf`. */
  catchUp(asOf: number): Promise<void> {
    return this.#follower.catchUp(this.#modelId, asOf);
  }

  /**
   * Makes it match the database, whatever it held: after a start, after an outage of Qdrant, after a restored backup of
   * either. Returns the sequence of the last block. Reads Qdrant first, so a block of which the database has another
   * version, or none, is outdated; what is written meanwhile stays.
   */
  async #compare(dimension: number): Promise<number> {
    await checkVersion(this.#points);
    await this.#points.ensure(this.name, dimension);
    const held = Map.groupBy(await this.#points.blocks(this.name, null), ({ collectionId }) => collectionId);
    let after = 0;
    for await (const changes of this.#follower.all(this.#modelId)) {
      const there = changes.flatMap(({ collectionId }) => held.get(collectionId) ?? []);
      for (const { collectionId } of changes) held.delete(collectionId);
      // Also blocks newer than the database, which was restored from an older backup.
      await this.#points.removeBlocks(
        this.name,
        there.filter((block) => !changes.some((change) => isSame(block, change))),
      );
      for (const change of missingFrom(there, changes)) await this.#write(change);
      after = changes.at(-1)?.sequence ?? after;
    }
    await this.#points.removeBlocks(this.name, [...held.values()].flat());
    return after;
  }

  async #apply(changes: readonly OperationBlockChange[]): Promise<void> {
    if (changes.length === 0) return;
    const there = await this.#points.blocks(
      this.name,
      changes.map(({ collectionId }) => collectionId),
    );
    for (const change of missingFrom(there, changes)) await this.#write(change);
    for (const change of changes) {
      const isReplaced = there.some((block) => isOf(block, change) && block.sequence < change.sequence);
      if (isReplaced) await this.#points.removeEarlier(this.name, change);
    }
  }

  #write(change: OperationBlockChange): Promise<void> {
    return this.#points.write(this.name, change, unpackOperations(change.packed));
  }
}

const isOf = (block: BlockVersion, change: BlockVersion): boolean => block.collectionId === change.collectionId;

const isSame = (block: BlockVersion, change: BlockVersion): boolean =>
  isOf(block, change) && block.sequence === change.sequence;

/** The changes of which not every operation is there. */
const missingFrom = (there: readonly HeldBlock[], changes: readonly OperationBlockChange[]) =>
  changes.filter((change) => (there.find((block) => isSame(block, change))?.points ?? 0) !== change.operations);
