import { TimeoutExceeded, rejectOnTimeout, type Log } from '@portico/dependencies';
import { embeddingDimension } from '@portico/domain';
import type {
  CollectionId,
  EmbeddingStore,
  VectorMatches,
  VectorIndex,
  VectorMatch,
  VectorQuery,
} from '@portico/domain';
import { hostOf, defaultLimits, type Limits } from './connect.ts';
import { Generation } from './generation.ts';
import { checkVersion, collectionsOf, Generations } from './generations.ts';
import { findNearest } from './find-nearest.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import { QdrantServer } from './qdrant-server.ts';
import { SearchOutage, NoStateChangeError } from './search-outage.ts';

export interface QdrantVectorIndexOptions {
  /** The URL of Qdrant. `http://host` means port 6333; `https://host` means port 443. */
  readonly url: string;
  readonly apiKey: string | null;
  /** The source of truth that the index copies. */
  readonly embeddings: Pick<EmbeddingStore, 'listChangedSince'>;
  /** Searches the database's vectors while Qdrant is unavailable. */
  readonly fallback: VectorIndex;
  readonly log: Log;
  /** The id of the installation, which is part of its aliases' and collections' names. Others are not touched. */
  readonly installation: string;
  /** Limits that override those in `defaultLimits`. */
  readonly limits?: Partial<Limits>;
}

export interface QdrantVectorIndex extends VectorIndex {
  /** Updates the collection to `asOf` in the background, so that it is ready for the first search. */
  prepare(modelId: string, asOf: number): void;
  /**
   * Fills a new collection from the database and swaps it in atomically, while searches continue. If this fails,
   * rejects with the reason and keeps the current collection.
   */
  rebuild(modelId: string, onProgress?: (count: number) => void): Promise<void>;
  /** Aborts background work, and waits up to 5 s for it to finish. */
  close(): Promise<void>;
}

/**
 * Creates an index in Qdrant, shared by all processes of an installation. Each model has a Qdrant collection, with one
 * point per collection of the catalog. The point's id is the id of the catalog collection; its payload is the model and
 * the embedding's sequence number. Each process adds missing points before it searches, and never overwrites a newer embedding
 * with an older one. All searches are exact, so the results equal those of the database. Qdrant versions before
 * 1.16, which have no conditional writes, are not used; `fallback` is searched instead.
 */
export const createQdrantVectorIndex = (options: QdrantVectorIndexOptions): QdrantVectorIndex =>
  new QdrantIndex(options);

/** How long `close` waits for background work. */
const closeTimeoutMs = 5_000;

class QdrantIndex implements QdrantVectorIndex {
  readonly kind = 'qdrant';
  readonly #options: QdrantVectorIndexOptions;
  readonly #limits: Limits;
  readonly #server: QdrantServer;
  readonly #outage: SearchOutage;
  /** The collections in use by model. The next two properties are also by model. */
  readonly #generations = new Map<string, Generation>();
  readonly #openings = new Map<string, Promise<Generation>>();
  /** The models that have had a collection since this process started. */
  readonly #knownModels = new Set<string>();
  readonly #backgroundTasks = new Set<Promise<void>>();
  readonly #closeController = new AbortController();

  constructor(options: QdrantVectorIndexOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#server = new QdrantServer(options.url, options.apiKey, this.#limits);
    this.#outage = new SearchOutage(hostOf(options.url), 'collections', options.log);
    // Changes made in the meantime are unknown, so collections are compared before they are used again.
    this.#server.onCircuitOpen(() => this.#generations.clear());
  }

  prepare(modelId: string, asOf: number): void {
    this.#track(this.#prepare(modelId, asOf));
  }

  async search(query: VectorQuery): Promise<VectorMatches> {
    assertVector(query.vector);
    if (query.candidateIds.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
    try {
      const matches = await this.#search(query);
      this.#outage.end();
      return { matches, isFallback: false };
    } catch (error) {
      this.#outage.begin(error);
      if (isMissing(error)) this.#track(this.#prepare(query.modelId, query.asOf));
      const { matches } = await this.#options.fallback.search(query);
      return { matches, isFallback: true };
    }
  }

  async remove(collectionId: CollectionId): Promise<void> {
    await this.#options.fallback.remove(collectionId);
    const { namesInUse, unusedNames } = await collectionsOf(this.#server, this.#options.installation);
    await Promise.all([
      ...namesInUse.map((name) => this.#server.remove(name, collectionId).catch(ignoreMissing)),
      ...unusedNames.map((name) => this.#removeFromUnused(name, collectionId)),
    ]);
  }

  async dropModel(modelId: string): Promise<void> {
    await this.#options.fallback.dropModel(modelId);
    this.#generations.delete(modelId);
    this.#knownModels.delete(modelId);
    await this.#generationsOf(modelId).drop();
  }

  /**
   * Removes a vector from a collection that another process is filling, if the vector is already there. If that process
   * writes it later, or it cannot be removed, it remains until the next comparison with the database. Searches never
   * request it.
   */
  async #removeFromUnused(name: string, collectionId: CollectionId): Promise<void> {
    try {
      await this.#server.removeFromUnused(name, collectionId);
    } catch (error) {
      if (isMissing(error)) return;
      const fields = { collection: name, reason: String(error) };
      this.#options.log.info(fields, 'A deleted vector could not be removed from an unused Qdrant collection yet');
    }
  }

  async check(): Promise<void> {
    await this.#server.readAliases();
  }

  async rebuild(modelId: string, onProgress: (count: number) => void = () => undefined): Promise<void> {
    await checkVersion(this.#server);
    this.#generations.set(modelId, await this.#build(modelId, onProgress));
    await this.#generationsOf(modelId).clear();
  }

  async close(): Promise<void> {
    this.#closeController.abort(new NoStateChangeError('The index is closed'));
    const completion = Promise.allSettled([...this.#backgroundTasks]);
    await rejectOnTimeout(closeTimeoutMs, completion).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'The vector index was closed while it was waiting for Qdrant');
    });
  }

  async #search(query: VectorQuery): Promise<readonly VectorMatch[]> {
    const deadline = performance.now() + this.#limits.searchMs;
    const generation = await this.#getReadyGeneration(query);
    try {
      return await rejectOnTimeout(deadline - performance.now(), findNearest(this.#server, generation, query));
    } catch (error) {
      if (error instanceof TimeoutExceeded) throw new QdrantFailure('unavailable', `searching: ${error.message}`);
      if (isMissing(error)) this.#discard(query.modelId, generation);
      throw error;
    }
  }

  #discard(modelId: string, generation: Generation): void {
    if (this.#generations.get(modelId) === generation) this.#generations.delete(modelId);
  }

  /**
   * Returns a collection that contains all vectors required by the query. Slow preparation continues in the background.
   * No search waits while Qdrant is known to be unavailable.
   */
  async #getReadyGeneration({ modelId, asOf }: VectorQuery): Promise<Generation> {
    const generation = this.#generations.get(modelId);
    if (generation?.isCompleteUpTo(modelId, asOf)) return generation;
    const preparation = this.#prepare(modelId, asOf);
    this.#track(preparation);
    if (this.#outage.isActive) throw new NoStateChangeError();
    return rejectOnTimeout(this.#limits.searchMs / 2, preparation);
  }

  async #prepare(modelId: string, asOf: number): Promise<Generation> {
    const generation = await this.#open(modelId);
    try {
      await generation.catchUp(modelId, asOf);
    } catch (error) {
      if (isMissing(error)) this.#discard(modelId, generation);
      throw error;
    }
    return generation;
  }

  /** Tracks the preparation as a background task, and records its outcome. */
  #track(preparation: Promise<Generation>): void {
    const task = preparation
      .then(
        () => this.#outage.markReady(),
        (error: unknown) => this.#outage.begin(error),
      )
      .finally(() => this.#backgroundTasks.delete(task));
    this.#backgroundTasks.add(task);
  }

  /** Opens the model's collection. Simultaneous calls for a model share one opening. */
  #open(modelId: string): Promise<Generation> {
    const generation = this.#generations.get(modelId);
    if (generation) return Promise.resolve(generation);
    const opening =
      this.#openings.get(modelId) ?? this.#findOrBuild(modelId).finally(() => void this.#openings.delete(modelId));
    this.#openings.set(modelId, opening);
    return opening;
  }

  async #findOrBuild(modelId: string): Promise<Generation> {
    this.#closeController.signal.throwIfAborted();
    await checkVersion(this.#server);
    const generations = this.#generationsOf(modelId);
    const name = await generations.findCurrent();
    const problem = name === null ? null : await generations.findProblem(name);
    if (problem !== null) {
      this.#options.log.warn(
        { collection: name, reason: problem },
        'The collection in Qdrant cannot be used; a new one is being filled',
      );
    } else if (name === null && this.#knownModels.has(modelId)) {
      this.#options.log.warn({}, 'The collection in Qdrant is missing; a new one is being filled');
    } else if (name === null) {
      this.#options.log.info({ model: modelId }, 'Qdrant has no collection yet; one is being created and filled');
    }
    const generation =
      name === null || problem !== null ? await this.#build(modelId, () => undefined) : this.#generationOf(name);
    this.#generations.set(modelId, generation);
    this.#knownModels.add(modelId);
    generations.clear().catch((error: unknown) => {
      // Nothing depends on this deletion, and it is retried when the collection is next opened.
      this.#options.log.info({ reason: String(error) }, 'Unused collections could not be deleted from Qdrant yet');
    });
    return generation;
  }

  async #build(modelId: string, onProgress: (count: number) => void): Promise<Generation> {
    const generations = this.#generationsOf(modelId);
    const generation = this.#generationOf(await generations.create());
    try {
      await generation.fill(modelId, onProgress);
      await generations.switchTo(generation.name);
    } catch (error) {
      await this.#server.drop(generation.name).catch((cause: unknown) => {
        this.#options.log.warn({ err: cause }, 'An incomplete collection could not be deleted from Qdrant yet');
      });
      throw isMissing(error) ? createSupersededError(error) : error;
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
      closeSignal: this.#closeController.signal,
      onRepaired: (repairs) => {
        this.#options.log.info(repairs, 'The vectors in Qdrant were synchronized with the database');
      },
    });
  }
}

const isMissing = (error: unknown): boolean => error instanceof QdrantFailure && error.kind === 'missing';

const ignoreMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};

/** Returns the error for a collection that is missing or outdated because another process has filled a newer one. */
const createSupersededError = (cause: unknown): QdrantFailure =>
  new QdrantFailure('missing', 'another process has filled a newer collection in the meantime', { cause });

const assertVector = (vector: Float32Array): void => {
  if (vector.length !== embeddingDimension || !vector.every(Number.isFinite) || !vector.some((x) => x !== 0)) {
    throw new RangeError(`A vector must have ${embeddingDimension} finite components that are not all 0`);
  }
};
