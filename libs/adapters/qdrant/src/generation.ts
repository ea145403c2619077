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
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly onRepaired: (repairs: Repairs) => void;
  /** The signal that aborts long work between two batches. */
  readonly closing: AbortSignal;
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
  /** The approximate number of vectors of each model. */
  readonly #sizes = new Map<string, number>();

  constructor(name: string, { server, embeddings, onRepaired, closing }: GenerationDependencies) {
    this.name = name;
    this.#server = server;
    this.#onRepaired = onRepaired;
    this.#follower = new Follower(
      embeddings,
      embeddingBatchSize,
      { apply: (modelId, changes) => this.#apply(modelId, changes), begin: (modelId) => this.#compare(modelId) },
      closing,
    );
  }

  /** Fills the new collection with all embeddings of the model. No other process may write to it in the meantime. */
  async fill(modelId: string, onProgress: (written: number) => void): Promise<void> {
    let [size, after] = [0, 0];
    for await (const changes of this.#follower.all(modelId)) {
      for (const part of chunksOf(changes, pointsPerWrite)) {
        await this.#server.insert(this.name, part.map(pointOf(modelId)));
        size += part.length;
        onProgress(size);
      }
      after = changes.at(-1)?.sequence ?? after;
    }
    this.#sizes.set(modelId, size);
    this.#follower.continueAfter(modelId, after);
  }

  /** Resolves once the collection contains every embedding of the model up to `asOf`. */
  catchUp(modelId: string, asOf: number): Promise<void> {
    return this.#follower.catchUp(modelId, asOf);
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return this.#follower.isUpTo(modelId, asOf);
  }

  /** Returns the approximate number of vectors of the model. */
  sizeOf(modelId: string): number {
    return this.#sizes.get(modelId) ?? 0;
  }

  async #apply(modelId: string, changes: readonly EmbeddingChange[]): Promise<void> {
    const stored = new Map<CollectionId, number>();
    for (const part of chunksOf(changes, pointsPerWrite)) {
      const sequences = await this.#server.sequences(this.name, part.map(idOf));
      for (const [id, sequence] of sequences) stored.set(id, sequence);
    }
    const added = changes.filter(({ collectionId }) => !stored.has(collectionId)).length;
    this.#sizes.set(modelId, this.sizeOf(modelId) + added);
    await this.#writeMissing(modelId, changes, stored);
  }

  /**
   * Makes the collection match the database, regardless of the collection's contents: at startup, after a Qdrant
   * outage, or after a backup of Qdrant or the database was restored. Returns the sequence of the last embedding. Reads
   * Qdrant first, then deletes each point that the database lacks. A point that was written since then has a different
   * version, so it is kept.
   */
  async #compare(modelId: string): Promise<number> {
    const unmatched = await this.#versions(modelId);
    const removals: PointVersion[] = [];
    let [missing, size, after] = [0, 0, 0];
    for await (const changes of this.#follower.all(modelId)) {
      const stored = new Map<CollectionId, number>();
      const newer: PointVersion[] = [];
      for (const { collectionId, sequence } of changes) {
        const storedSequence = unmatched.get(collectionId);
        unmatched.delete(collectionId);
        if (storedSequence === undefined) continue;
        // The point is newer than the database, which was restored from an older backup.
        if (storedSequence > sequence) newer.push({ collectionId, sequence: storedSequence });
        else stored.set(collectionId, storedSequence);
      }
      await this.#removeVersions(newer);
      missing += await this.#writeMissing(modelId, changes, stored);
      size += changes.length;
      after = changes.at(-1)?.sequence ?? after;
    }
    for (const [collectionId, sequence] of unmatched) removals.push({ collectionId, sequence });
    await this.#removeVersions(removals);
    this.#sizes.set(modelId, size);
    if (missing + removals.length > 0) this.#onRepaired({ missing, superfluous: removals.length });
    return after;
  }

  async #versions(modelId: string): Promise<Map<CollectionId, number>> {
    const versions = new Map<CollectionId, number>();
    let offset: CollectionId | null = null;
    do {
      const page: {
        readonly sequences: readonly (readonly [CollectionId, number])[];
        readonly next: CollectionId | null;
      } = await this.#server.page(this.name, modelId, offset, pageSize);
      for (const [id, sequence] of page.sequences) versions.set(id, sequence);
      offset = page.next;
    } while (offset !== null);
    return versions;
  }

  /** Writes missing and outdated points. Returns the number of points written. */
  async #writeMissing(
    modelId: string,
    changes: readonly EmbeddingChange[],
    stored: ReadonlyMap<CollectionId, number>,
  ): Promise<number> {
    const newer = changes.filter(({ collectionId, sequence }) => sequence > (stored.get(collectionId) ?? -1));
    for (const part of chunksOf(newer, pointsPerWrite))
      await this.#server.writeNewer(this.name, part.map(pointOf(modelId)));
    return newer.length;
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
