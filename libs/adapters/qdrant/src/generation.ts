import { embeddingBatchSize, Follower } from '@portico/dependencies';
import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { PointVersion, QdrantServer, StoredPoint } from './qdrant-server.ts';

/** What was repaired where Qdrant differed from the database. */
export interface Repairs {
  readonly missing: number;
  readonly superfluous: number;
}

export interface GenerationParts {
  readonly server: QdrantServer;
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly onRepaired: (repairs: Repairs) => void;
  /** Ends long work, between two batches. */
  readonly closing: AbortSignal;
}

/** Points per write request: 2 MB. */
const writeSize = 128;
const pageSize = 2_000;

/**
 * One Qdrant collection, and how far it is known to be a copy of the database. That knowledge belongs to this
 * collection, never to an alias: a replacement is compared from scratch.
 */
export class Generation {
  readonly name: string;
  readonly #server: QdrantServer;
  readonly #onRepaired: (repairs: Repairs) => void;
  readonly #follower: Follower<EmbeddingChange>;
  /** The approximate number of vectors of each model. */
  readonly #sizes = new Map<string, number>();

  constructor(name: string, { server, embeddings, onRepaired, closing }: GenerationParts) {
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

  /** Fills it from scratch with all of the model's embeddings, while no other process writes to it. */
  async fill(modelId: string, onProgress: (written: number) => void): Promise<void> {
    let [size, after] = [0, 0];
    for await (const changes of this.#follower.all(modelId)) {
      for (const part of chunksOf(changes, writeSize)) {
        await this.#server.insert(this.name, part.map(pointOf(modelId)));
        size += part.length;
        onProgress(size);
      }
      after = changes.at(-1)?.sequence ?? after;
    }
    this.#sizes.set(modelId, size);
    this.#follower.continueAfter(modelId, after);
  }

  /** Resolves once it holds every embedding of the model up to `asOf`. */
  catchUp(modelId: string, asOf: number): Promise<void> {
    return this.#follower.catchUp(modelId, asOf);
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return this.#follower.isUpTo(modelId, asOf);
  }

  /** The approximate number of the model's vectors. */
  sizeOf(modelId: string): number {
    return this.#sizes.get(modelId) ?? 0;
  }

  async #apply(modelId: string, changes: readonly EmbeddingChange[]): Promise<void> {
    const stored = new Map<CollectionId, number>();
    for (const part of chunksOf(changes, writeSize)) {
      const sequences = await this.#server.sequences(this.name, part.map(idOf));
      for (const [id, sequence] of sequences) stored.set(id, sequence);
    }
    const added = changes.filter(({ collectionId }) => !stored.has(collectionId)).length;
    this.#sizes.set(modelId, this.sizeOf(modelId) + added);
    await this.#bringIn(modelId, changes, stored);
  }

  /**
   * Makes it match the database, whatever it held: after a start, after an outage of Qdrant, after a restored backup of
   * either. Returns the sequence of the last embedding. Reads Qdrant first, so a point that the database lacks is
   * deleted from there, unless it was written since: then its version differs, and it stays.
   */
  async #compare(modelId: string): Promise<number> {
    const superfluous = await this.#versions(modelId);
    const removals: PointVersion[] = [];
    let [missing, size, after] = [0, 0, 0];
    for await (const changes of this.#follower.all(modelId)) {
      const stored = new Map<CollectionId, number>();
      const ahead: PointVersion[] = [];
      for (const { collectionId, sequence } of changes) {
        const known = superfluous.get(collectionId);
        superfluous.delete(collectionId);
        if (known === undefined) continue;
        // Newer than the database, which was restored from an older backup.
        if (known > sequence) ahead.push({ collectionId, sequence: known });
        else stored.set(collectionId, known);
      }
      await this.#removeVersions(ahead);
      missing += await this.#bringIn(modelId, changes, stored);
      size += changes.length;
      after = changes.at(-1)?.sequence ?? after;
    }
    for (const [collectionId, sequence] of superfluous) removals.push({ collectionId, sequence });
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

  /** Writes missing and outdated points; returns how many those were. */
  async #bringIn(
    modelId: string,
    changes: readonly EmbeddingChange[],
    stored: ReadonlyMap<CollectionId, number>,
  ): Promise<number> {
    const newer = changes.filter(({ collectionId, sequence }) => sequence > (stored.get(collectionId) ?? -1));
    for (const part of chunksOf(newer, writeSize)) await this.#server.writeNewer(this.name, part.map(pointOf(modelId)));
    return newer.length;
  }

  async #removeVersions(versions: readonly PointVersion[]): Promise<void> {
    for (const part of chunksOf(versions, writeSize)) await this.#server.removeVersions(this.name, part);
  }
}

const idOf = ({ collectionId }: { readonly collectionId: CollectionId }): CollectionId => collectionId;

const pointOf =
  (modelId: string) =>
  (change: EmbeddingChange): StoredPoint => ({ ...change, modelId });

/** Splits the items into chunks of at most this size, in order. */
export const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
