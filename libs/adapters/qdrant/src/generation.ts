import { embeddingBatchSize, Follower } from '@portico/dependencies';
import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { PointVersion, QdrantServer, StoredPoint } from './qdrant-server.ts';

/** The number of repaired differences between Qdrant and the database. */
export interface Repairs {
  readonly missing: number;
  readonly superfluous: number;
}

export interface GenerationDependencies {
  readonly server: QdrantServer;
  readonly embeddings: Pick<EmbeddingStore, 'listChangedSince'>;
  readonly onRepaired: (repairs: Repairs) => void;
  /** The signal that aborts long work between two batches. */
  readonly closeSignal: AbortSignal;
}

/** The number of points per write request, about 2 MB. */
const pointsPerWrite = 128;
const pageSize = 2_000;

/**
 * A Qdrant collection, and the extent to which it is known to match the database. This state belongs to the collection,
 * not to its alias: a collection that replaces it is compared from scratch.
 */
export class Generation {
  readonly name: string;
  readonly #server: QdrantServer;
  readonly #onRepaired: (repairs: Repairs) => void;
  readonly #follower: Follower<EmbeddingChange>;
  /** The approximate number of vectors from each model. */
  readonly #sizes = new Map<string, number>();

  constructor(name: string, { server, embeddings, onRepaired, closeSignal }: GenerationDependencies) {
    this.name = name;
    this.#server = server;
    this.#onRepaired = onRepaired;
    this.#follower = new Follower(
      embeddings,
      embeddingBatchSize,
      { apply: (modelId, changes) => this.#apply(modelId, changes), begin: (modelId) => this.#compare(modelId) },
      closeSignal,
    );
  }

  /** Fills the new collection with all embeddings from the model. No other process may write to it in the meantime. */
  async fill(modelId: string, onProgress: (count: number) => void): Promise<void> {
    let [size, lastSequence] = [0, 0];
    for await (const changes of this.#follower.readAll(modelId)) {
      for (const part of chunksOf(changes, pointsPerWrite)) {
        await this.#server.insert(this.name, part.map(pointOf(modelId)));
        size += part.length;
        onProgress(size);
      }
      lastSequence = changes.at(-1)?.sequence ?? lastSequence;
    }
    this.#sizes.set(modelId, size);
    this.#follower.continueAfter(modelId, lastSequence);
  }

  /** Resolves once the collection contains every embedding from the model up to `asOf`. */
  catchUp(modelId: string, asOf: number): Promise<void> {
    return this.#follower.catchUp(modelId, asOf);
  }

  isCompleteUpTo(modelId: string, asOf: number): boolean {
    return this.#follower.isCompleteUpTo(modelId, asOf);
  }

  /** Returns the approximate number of vectors from the model. */
  sizeOf(modelId: string): number {
    return this.#sizes.get(modelId) ?? 0;
  }

  async #apply(modelId: string, changes: readonly EmbeddingChange[]): Promise<void> {
    const storedSequences = new Map<CollectionId, number>();
    for (const part of chunksOf(changes, pointsPerWrite)) {
      const sequences = await this.#server.readSequences(this.name, part.map(idOf));
      for (const [id, sequence] of sequences) storedSequences.set(id, sequence);
    }
    const addedCount = changes.filter(({ collectionId }) => !storedSequences.has(collectionId)).length;
    this.#sizes.set(modelId, this.sizeOf(modelId) + addedCount);
    await this.#writeMissing(modelId, changes, storedSequences);
  }

  /**
   * Makes the collection match the database, regardless of the collection's contents: at startup, after a Qdrant
   * outage, or after a backup of Qdrant or the database was restored. Returns the sequence number of the last embedding. Reads
   * Qdrant first, then deletes each point that the database lacks. A point that was written since then has a different
   * version, so it is kept.
   */
  async #compare(modelId: string): Promise<number> {
    const unmatchedVersions = await this.#readVersions(modelId);
    const removals: PointVersion[] = [];
    let [missingCount, size, lastSequence] = [0, 0, 0];
    for await (const changes of this.#follower.readAll(modelId)) {
      const storedSequences = new Map<CollectionId, number>();
      const newerVersions: PointVersion[] = [];
      for (const { collectionId, sequence } of changes) {
        const storedSequence = unmatchedVersions.get(collectionId);
        unmatchedVersions.delete(collectionId);
        if (storedSequence === undefined) continue;
        // The point is newer than the database, which was restored from an older backup.
        if (storedSequence > sequence) newerVersions.push({ collectionId, sequence: storedSequence });
        else storedSequences.set(collectionId, storedSequence);
      }
      await this.#removeVersions(newerVersions);
      missingCount += await this.#writeMissing(modelId, changes, storedSequences);
      size += changes.length;
      lastSequence = changes.at(-1)?.sequence ?? lastSequence;
    }
    for (const [collectionId, sequence] of unmatchedVersions) removals.push({ collectionId, sequence });
    await this.#removeVersions(removals);
    this.#sizes.set(modelId, size);
    if (missingCount + removals.length > 0) this.#onRepaired({ missing: missingCount, superfluous: removals.length });
    return lastSequence;
  }

  async #readVersions(modelId: string): Promise<Map<CollectionId, number>> {
    const versions = new Map<CollectionId, number>();
    let offset: CollectionId | null = null;
    do {
      const page: {
        readonly sequences: readonly (readonly [CollectionId, number])[];
        readonly next: CollectionId | null;
      } = await this.#server.readPage(this.name, modelId, offset, pageSize);
      for (const [id, sequence] of page.sequences) versions.set(id, sequence);
      offset = page.next;
    } while (offset !== null);
    return versions;
  }

  /** Writes missing and outdated points. Returns the number of points written. */
  async #writeMissing(
    modelId: string,
    changes: readonly EmbeddingChange[],
    storedSequences: ReadonlyMap<CollectionId, number>,
  ): Promise<number> {
    const newerChanges = changes.filter(
      ({ collectionId, sequence }) => sequence > (storedSequences.get(collectionId) ?? -1),
    );
    for (const part of chunksOf(newerChanges, pointsPerWrite))
      await this.#server.writeNewer(this.name, part.map(pointOf(modelId)));
    return newerChanges.length;
  }

  async #removeVersions(versions: readonly PointVersion[]): Promise<void> {
    for (const part of chunksOf(versions, pointsPerWrite)) await this.#server.removeVersions(this.name, part);
  }
}

const idOf = ({ collectionId }: { readonly collectionId: CollectionId }): CollectionId => collectionId;

const pointOf =
  (modelId: string) =>
  (change: EmbeddingChange): StoredPoint => ({ ...change, modelId });

/** Splits the items into chunks of at most this size, in order. */
export const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
