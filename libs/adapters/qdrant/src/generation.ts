import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import type { PointVersion, QdrantServer, StoredPoint } from './qdrant-server.ts';

/** What was put right where Qdrant was not what the database says. */
export interface Repairs {
  readonly missing: number;
  readonly superfluous: number;
}

export interface GenerationParts {
  readonly server: QdrantServer;
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
  readonly onRepaired: (repairs: Repairs) => void;
  /** Ends what takes long, between two batches. */
  readonly closing: AbortSignal;
}

/** How many embeddings are read at once: 512 vectors are 1.5 MB, and 8 MB as JSON. */
const readSize = 512;
/** How many points are written by one request: 2 MB. */
const writeSize = 128;
const pageSize = 2_000;

/** How far the embeddings of one model are in the collection. */
interface Copy {
  /** The sequence of the last embedding that was read. */
  after: number;
  /** There is none up to this sequence that was not brought in; at least `after`. */
  complete: number;
  /** How many there are, about. */
  size: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
}

/**
 * One collection of Qdrant, and what this process knows of how far it is a copy of the database. That is known of this
 * very collection, never of an alias: what takes its place is compared anew.
 */
export class Generation {
  readonly name: string;
  readonly #server: QdrantServer;
  readonly #embeddings: GenerationParts['embeddings'];
  readonly #onRepaired: (repairs: Repairs) => void;
  readonly #closing: AbortSignal;
  readonly #copies = new Map<string, Copy>();

  constructor(name: string, { server, embeddings, onRepaired, closing }: GenerationParts) {
    this.name = name;
    this.#server = server;
    this.#embeddings = embeddings;
    this.#onRepaired = onRepaired;
    this.#closing = closing;
  }

  /** Fills it from nothing with all that the database has of the model, while nobody else writes to it. */
  async fill(modelId: string, onProgress: (written: number) => void): Promise<void> {
    const copy: Copy = { after: 0, complete: 0, size: 0, reading: undefined };
    for await (const changes of this.#all(modelId, copy)) {
      for (const part of partsOf(changes)) {
        await this.#server.insert(this.name, part.map(pointOf(modelId)));
        copy.size += part.length;
        onProgress(copy.size);
      }
    }
    this.#copies.set(modelId, { ...copy, complete: copy.after });
  }

  /** Fulfilled once every embedding of the model up to `asOf` is in it; searches at one time share one reading. */
  async catchUp(modelId: string, asOf: number): Promise<void> {
    const copy = this.#copies.get(modelId) ?? this.#begin(modelId);
    while (asOf > copy.complete) {
      copy.reading ??= this.#read(modelId, asOf, copy).finally(() => {
        copy.reading = undefined;
      });
      await copy.reading;
    }
  }

  isUpTo(modelId: string, asOf: number): boolean {
    return asOf <= (this.#copies.get(modelId)?.complete ?? -1);
  }

  /** How many vectors of the model there are, about. */
  sizeOf(modelId: string): number {
    return this.#copies.get(modelId)?.size ?? 0;
  }

  /** Not compared yet: complete up to less than any sequence. */
  #begin(modelId: string): Copy {
    const copy: Copy = { after: 0, complete: -1, size: 0, reading: undefined };
    this.#copies.set(modelId, copy);
    return copy;
  }

  async #read(modelId: string, asOf: number, copy: Copy): Promise<void> {
    if (copy.complete < 0) await this.#compare(modelId, copy);
    while (asOf > copy.complete) {
      this.#closing.throwIfAborted();
      const changes = await this.#embeddings.changedSince(copy.after, modelId, readSize);
      const stored = new Map<CollectionId, number>();
      for (const part of partsOf(changes)) {
        const sequences = await this.#server.sequences(this.name, part.map(idOf));
        for (const [id, sequence] of sequences) stored.set(id, sequence);
      }
      copy.size += changes.filter(({ collectionId }) => !stored.has(collectionId)).length;
      await this.#bringIn(modelId, changes, stored);
      copy.after = changes.at(-1)?.sequence ?? copy.after;
      copy.complete = Math.max(copy.complete, changes.length < readSize ? asOf : copy.after);
    }
  }

  /**
   * Makes it what the database says, whatever it was: after a start, after a time without Qdrant, after a restored
   * backup of either. It is read before the database is, so what it has and the database has not is gone, unless it was
   * written later: then it is another version, and stays.
   */
  async #compare(modelId: string, copy: Copy): Promise<void> {
    copy.after = 0;
    const superfluous = await this.#versions(modelId);
    const removals: PointVersion[] = [];
    let [missing, size] = [0, 0];
    for await (const changes of this.#all(modelId, copy)) {
      const stored = new Map<CollectionId, number>();
      const ahead: PointVersion[] = [];
      for (const { collectionId, sequence } of changes) {
        const known = superfluous.get(collectionId);
        superfluous.delete(collectionId);
        if (known === undefined) continue;
        // Of a later time than the database: that is an older one, restored from a backup.
        if (known > sequence) ahead.push({ collectionId, sequence: known });
        else stored.set(collectionId, known);
      }
      await this.#removeVersions(ahead);
      missing += await this.#bringIn(modelId, changes, stored);
      size += changes.length;
    }
    for (const [collectionId, sequence] of superfluous) removals.push({ collectionId, sequence });
    await this.#removeVersions(removals);
    Object.assign(copy, { complete: copy.after, size });
    if (missing + removals.length > 0) this.#onRepaired({ missing, superfluous: removals.length });
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

  /** Writes what is not there, or only as an older version; returns how many those were. */
  async #bringIn(
    modelId: string,
    changes: readonly EmbeddingChange[],
    stored: ReadonlyMap<CollectionId, number>,
  ): Promise<number> {
    const newer = changes.filter(({ collectionId, sequence }) => sequence > (stored.get(collectionId) ?? -1));
    for (const part of partsOf(newer)) await this.#server.writeNewer(this.name, part.map(pointOf(modelId)));
    return newer.length;
  }

  async #removeVersions(versions: readonly PointVersion[]): Promise<void> {
    for (const part of partsOf(versions)) await this.#server.removeVersions(this.name, part);
  }

  /** All that the database has of the model; `copy.after` tells how far that was read. */
  async *#all(modelId: string, copy: Copy): AsyncGenerator<readonly EmbeddingChange[]> {
    for (let isLast = false; !isLast;) {
      this.#closing.throwIfAborted();
      const changes = await this.#embeddings.changedSince(copy.after, modelId, readSize);
      isLast = changes.length < readSize;
      yield changes;
      copy.after = changes.at(-1)?.sequence ?? copy.after;
    }
  }
}

const idOf = ({ collectionId }: { readonly collectionId: CollectionId }): CollectionId => collectionId;

const pointOf =
  (modelId: string) =>
  (change: EmbeddingChange): StoredPoint => ({ ...change, modelId });

const partsOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / writeSize) }, (_, i) =>
    items.slice(i * writeSize, (i + 1) * writeSize),
  );
