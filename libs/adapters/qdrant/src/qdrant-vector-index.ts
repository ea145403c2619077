import { TookTooLong, within, type Log } from '@portico/dependencies';
import { embeddingDimension } from '@portico/domain';
import type {
  CollectionId,
  EmbeddingStore,
  VectorAnswer,
  VectorIndex,
  VectorMatch,
  VectorQuery,
} from '@portico/domain';
import { placeOf, usualLimits, type Limits } from './connect.ts';
import { Generation } from './generation.ts';
import { checkVersion, collectionsOf, Generations } from './generations.ts';
import { nearest } from './nearest.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import { QdrantServer } from './qdrant-server.ts';
import { SearchOutage, StillOut } from './outage.ts';

export interface QdrantVectorIndexOptions {
  /** `http://host` means port 6333, `https://host` means 443. */
  readonly url: string;
  readonly apiKey: string | null;
  /** The source of truth that the index copies. */
  readonly embeddings: Pick<EmbeddingStore, 'changedSince'>;
  /** Answers from the database's vectors while Qdrant cannot. */
  readonly fallback: VectorIndex;
  readonly log: Log;
  /** The id of the installation, which is in the names of its aliases and collections: others are left alone. */
  readonly installation: string;
  /** Overrides values of `usualLimits`. */
  readonly limits?: Partial<Limits>;
}

export interface QdrantVectorIndex extends VectorIndex {
  /** Brings the collection up to `asOf` in the background, so that the first search finds it ready. */
  prepare(modelId: string, asOf: number): void;
  /**
   * Fills a new collection from the database and swaps it in atomically, while searches continue. If that fails,
   * rejects with the reason; the current one stays.
   */
  rebuild(modelId: string, onProgress?: (written: number) => void): Promise<void>;
  /** Ends background work, and waits up to 5 s for it. */
  close(): Promise<void>;
}

/**
 * An index in Qdrant, shared by all processes of an installation. Each model has a collection there, with one point per
 * collection of the catalog, under its id, with the model and the sequence of its embedding. Each process adds what is missing before it searches, and never overwrites a
 * newer embedding with an older one. All searches are exact, so results equal the database's. A Qdrant before 1.16,
 * which has no conditional writes, is not used: `fallback` answers.
 */
export const createQdrantVectorIndex = (options: QdrantVectorIndexOptions): QdrantVectorIndex =>
  new QdrantIndex(options);

/** How long `close` waits for background work. */
const closingMs = 5_000;

class QdrantIndex implements QdrantVectorIndex {
  readonly kind = 'qdrant';
  readonly #options: QdrantVectorIndexOptions;
  readonly #limits: Limits;
  readonly #server: QdrantServer;
  readonly #outage: SearchOutage;
  /** By model, as the next two. */
  readonly #opened = new Map<string, Generation>();
  readonly #opening = new Map<string, Promise<Generation>>();
  /** Those whose collection has been in use since this process started. */
  readonly #known = new Set<string>();
  readonly #following = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: QdrantVectorIndexOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#server = new QdrantServer(options.url, options.apiKey, this.#limits);
    this.#outage = new SearchOutage(placeOf(options.url), 'collections', options.log);
    // Changes made meanwhile are unknown, so it is compared before it is used again.
    this.#server.onGivenUp(() => this.#opened.clear());
  }

  prepare(modelId: string, asOf: number): void {
    this.#follow(this.#prepared(modelId, asOf));
  }

  async search(query: VectorQuery): Promise<VectorAnswer> {
    checkVector(query.vector);
    if (query.among.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
    try {
      const matches = await this.#search(query);
      this.#outage.end();
      return { matches, isFallback: false };
    } catch (error) {
      this.#outage.begin(error);
      if (isMissing(error)) this.#follow(this.#prepared(query.modelId, query.asOf));
      const { matches } = await this.#options.fallback.search(query);
      return { matches, isFallback: true };
    }
  }

  async remove(collectionId: CollectionId): Promise<void> {
    await this.#options.fallback.remove(collectionId);
    const { inUse, others } = await collectionsOf(this.#server, this.#options.installation);
    await Promise.all([
      ...inUse.map((name) => this.#server.remove(name, collectionId).catch(unlessMissing)),
      ...others.map((name) => this.#removeAside(name, collectionId)),
    ]);
  }

  async forget(modelId: string): Promise<void> {
    await this.#options.fallback.forget(modelId);
    this.#opened.delete(modelId);
    this.#known.delete(modelId);
    await this.#generationsOf(modelId).drop();
  }

  /**
   * Removes it from a collection that another process is filling, if already written there. What that process writes
   * later, or what cannot be removed here, stays until the next comparison with the database. Searches never ask for
   * it.
   */
  async #removeAside(name: string, collectionId: CollectionId): Promise<void> {
    try {
      await this.#server.removeAside(name, collectionId);
    } catch (error) {
      if (isMissing(error)) return;
      const fields = { collection: name, reason: String(error) };
      this.#options.log.info(fields, 'A deleted vector stays for now in a Qdrant collection that is not in use');
    }
  }

  async check(): Promise<void> {
    await this.#server.aliases();
  }

  async rebuild(modelId: string, onProgress: (written: number) => void = () => undefined): Promise<void> {
    await checkVersion(this.#server);
    this.#opened.set(modelId, await this.#build(modelId, onProgress));
    await this.#generationsOf(modelId).clear();
  }

  async close(): Promise<void> {
    this.#closing.abort(new StillOut('The index is closed'));
    const settled = Promise.allSettled([...this.#following]);
    await within(closingMs, settled).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'The vector index was closed while it waited for Qdrant');
    });
  }

  async #search(query: VectorQuery): Promise<readonly VectorMatch[]> {
    const until = performance.now() + this.#limits.searchMs;
    const generation = await this.#ready(query);
    try {
      return await within(until - performance.now(), nearest(this.#server, generation, query));
    } catch (error) {
      if (error instanceof TookTooLong) throw new QdrantFailure('away', `searching: ${error.message}`);
      if (isMissing(error)) this.#leave(query.modelId, generation);
      throw error;
    }
  }

  #leave(modelId: string, generation: Generation): void {
    if (this.#opened.get(modelId) === generation) this.#opened.delete(modelId);
  }

  /**
   * A collection that has all that the query needs. Slow preparation continues in the background, and no search waits
   * while Qdrant is known to be away.
   */
  async #ready({ modelId, asOf }: VectorQuery): Promise<Generation> {
    const opened = this.#opened.get(modelId);
    if (opened?.isUpTo(modelId, asOf)) return opened;
    const preparing = this.#prepared(modelId, asOf);
    this.#follow(preparing);
    if (this.#outage.isOn) throw new StillOut();
    return within(this.#limits.searchMs / 2, preparing);
  }

  async #prepared(modelId: string, asOf: number): Promise<Generation> {
    const generation = await this.#open(modelId);
    try {
      await generation.catchUp(modelId, asOf);
    } catch (error) {
      if (isMissing(error)) this.#leave(modelId, generation);
      throw error;
    }
    return generation;
  }

  /** Tracks the outcome in the background. */
  #follow(preparing: Promise<Generation>): void {
    const followed = preparing
      .then(
        () => this.#outage.ready(),
        (error: unknown) => this.#outage.begin(error),
      )
      .finally(() => this.#following.delete(followed));
    this.#following.add(followed);
  }

  /** Opens one collection of a model at a time. */
  #open(modelId: string): Promise<Generation> {
    const opened = this.#opened.get(modelId);
    if (opened) return Promise.resolve(opened);
    const opening = this.#opening.get(modelId) ?? this.#find(modelId).finally(() => void this.#opening.delete(modelId));
    this.#opening.set(modelId, opening);
    return opening;
  }

  async #find(modelId: string): Promise<Generation> {
    this.#closing.signal.throwIfAborted();
    await checkVersion(this.#server);
    const generations = this.#generationsOf(modelId);
    const name = await generations.current();
    const unfitness = name === null ? null : await generations.unfitness(name);
    if (unfitness !== null) {
      this.#options.log.warn(
        { collection: name, reason: unfitness },
        'The collection in Qdrant cannot be used; a new one is being filled',
      );
    } else if (name === null && this.#known.has(modelId)) {
      this.#options.log.warn({}, 'The collection in Qdrant is gone; a new one is being filled');
    } else if (name === null) {
      this.#options.log.info({ model: modelId }, 'Qdrant has no collection yet; one is being created and filled');
    }
    const generation =
      name === null || unfitness !== null ? await this.#build(modelId, () => undefined) : this.#generationOf(name);
    this.#opened.set(modelId, generation);
    this.#known.add(modelId);
    generations.clear().catch((error: unknown) => {
      // Nothing depends on it; the next opening retries.
      this.#options.log.info({ reason: String(error) }, 'Unused collections could not be deleted from Qdrant yet');
    });
    return generation;
  }

  async #build(modelId: string, onProgress: (written: number) => void): Promise<Generation> {
    const generations = this.#generationsOf(modelId);
    const generation = this.#generationOf(await generations.create());
    try {
      await generation.fill(modelId, onProgress);
      await generations.use(generation.name);
    } catch (error) {
      await this.#server.drop(generation.name).catch((cause: unknown) => {
        this.#options.log.warn({ err: cause }, 'An unfinished collection stays in Qdrant until a later start');
      });
      throw isMissing(error) ? superseded(error) : error;
    }
    return generation;
  }

  #generationsOf(modelId: string): Generations {
    return new Generations(this.#server, this.#options.installation, modelId);
  }

  #generationOf(name: string): Generation {
    return new Generation(name, {
      server: this.#server,
      embeddings: this.#options.embeddings,
      closing: this.#closing.signal,
      onRepaired: (repairs) => {
        this.#options.log.info(repairs, 'The vectors in Qdrant were brought in line with the database');
      },
    });
  }
}

const isMissing = (error: unknown): boolean => error instanceof QdrantFailure && error.kind === 'missing';

const unlessMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};

/** It is gone or outdated: a process that fills a newer one removes it. */
const superseded = (cause: unknown): QdrantFailure =>
  new QdrantFailure('missing', 'another process has filled a newer collection meanwhile', { cause });

const checkVector = (vector: Float32Array): void => {
  if (vector.length !== embeddingDimension || !vector.every(Number.isFinite) || !vector.some((x) => x !== 0)) {
    throw new RangeError(`A vector has ${embeddingDimension} finite numbers, not all of them 0`);
  }
};
