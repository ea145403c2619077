import { blockBatchSize, Follower } from '@portico/dependencies';
import { type OperationBlockChange, type OperationBlockStore, unpackOperations } from '@portico/domain';
import { checkVersion } from './generations.ts';
import type { BlockVersion, StoredBlock, OperationPoints } from './operation-points.ts';

export interface OperationCopyDependencies {
  readonly points: OperationPoints;
  readonly blocks: Pick<OperationBlockStore, 'listChangedSince'>;
  /** The signal that aborts long work between two batches. */
  readonly closeSignal: AbortSignal;
}

/**
 * The operations of one model in Qdrant, and the extent to which they are known to match the database. Several
 * processes maintain the same copy: each reads the stored versions before it writes, and never replaces a newer block.
 */
export class OperationCopy {
  readonly name: string;
  readonly #modelId: string;
  readonly #points: OperationPoints;
  readonly #follower: Follower<OperationBlockChange>;

  /** `dimension` is the dimension of the model's dense vectors. */
  constructor(
    name: string,
    modelId: string,
    dimension: number,
    { points, blocks, closeSignal }: OperationCopyDependencies,
  ) {
    this.name = name;
    this.#modelId = modelId;
    this.#points = points;
    this.#follower = new Follower(
      blocks,
      blockBatchSize,
      { begin: () => this.#compare(dimension), apply: (_modelId, changes) => this.#apply(changes) },
      closeSignal,
    );
  }

  isCompleteUpTo(asOf: number): boolean {
    return this.#follower.isCompleteUpTo(this.#modelId, asOf);
  }

  /** Resolves once the copy contains every block for the model up to `asOf`. */
  catchUp(asOf: number): Promise<void> {
    return this.#follower.catchUp(this.#modelId, asOf);
  }

  /**
   * Makes the copy match the database, regardless of the copy's contents: at startup, after a Qdrant outage, or after a
   * backup of Qdrant or the database was restored. Returns the sequence number of the last block. Reads Qdrant first: a block
   * is outdated if the database has a different version of it, or none. Blocks that are written in the meantime are
   * kept.
   */
  async #compare(dimension: number): Promise<number> {
    await checkVersion(this.#points);
    await this.#points.ensureCollection(this.name, dimension);
    const storedBlocks = Map.groupBy(
      await this.#points.readBlocks(this.name, null),
      ({ collectionId }) => collectionId,
    );
    let lastSequence = 0;
    for await (const changes of this.#follower.readAll(this.#modelId)) {
      const existingBlocks = changes.flatMap(({ collectionId }) => storedBlocks.get(collectionId) ?? []);
      for (const { collectionId } of changes) storedBlocks.delete(collectionId);
      // These include blocks that are newer than the database if it was restored from an older backup.
      await this.#points.removeBlocks(
        this.name,
        existingBlocks.filter((block) => !changes.some((change) => isSameVersion(block, change))),
      );
      for (const change of findMissing(existingBlocks, changes)) await this.#write(change);
      lastSequence = changes.at(-1)?.sequence ?? lastSequence;
    }
    await this.#points.removeBlocks(this.name, [...storedBlocks.values()].flat());
    return lastSequence;
  }

  async #apply(changes: readonly OperationBlockChange[]): Promise<void> {
    if (changes.length === 0) return;
    const existingBlocks = await this.#points.readBlocks(
      this.name,
      changes.map(({ collectionId }) => collectionId),
    );
    for (const change of findMissing(existingBlocks, changes)) await this.#write(change);
    for (const change of changes) {
      const isReplaced = existingBlocks.some(
        (block) => hasSameCollection(block, change) && block.sequence < change.sequence,
      );
      if (isReplaced) await this.#points.removeEarlierBlocks(this.name, change);
    }
  }

  #write(change: OperationBlockChange): Promise<void> {
    return this.#points.write(this.name, change, unpackOperations(change.packed));
  }
}

const hasSameCollection = (block: BlockVersion, change: BlockVersion): boolean =>
  block.collectionId === change.collectionId;

const isSameVersion = (block: BlockVersion, change: BlockVersion): boolean =>
  hasSameCollection(block, change) && block.sequence === change.sequence;

/** Returns the changes that are missing or incomplete in Qdrant. */
const findMissing = (existingBlocks: readonly StoredBlock[], changes: readonly OperationBlockChange[]) =>
  changes.filter(
    (change) => (existingBlocks.find((block) => isSameVersion(block, change))?.points ?? 0) !== change.operations,
  );
