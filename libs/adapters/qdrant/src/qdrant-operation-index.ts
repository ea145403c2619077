import { type Log, TimeoutExceeded, rejectOnTimeout } from '@portico/dependencies';
import type {
  OperationBlockStore,
  OperationIndex,
  OperationMatch,
  OperationMatches,
  OperationQuery,
} from '@portico/domain';
import { type Limits, hostOf, defaultLimits } from './connect.ts';
import { chunksOf } from './generation.ts';
import { modelDigestOf, prefixOf } from './names.ts';
import { OperationCopy } from './operation-copy.ts';
import { OperationPoints } from './operation-points.ts';
import { SearchOutage, NoStateChangeError } from './search-outage.ts';
import { QdrantFailure } from './qdrant-failure.ts';

export interface QdrantOperationIndexOptions {
  /** The URL of Qdrant. `http://host` means port 6333; `https://host` means port 443. */
  readonly url: string;
  readonly apiKey: string | null;
  /** The source of truth that the index copies. */
  readonly blocks: Pick<OperationBlockStore, 'listChangedSince'>;
  /** Searches the database's vectors while Qdrant is unavailable. */
  readonly fallback: OperationIndex;
  readonly log: Log;
  /** The id of the installation, which is part of its collections' names. Other collections are not touched. */
  readonly installation: string;
  /** Limits that override those in `defaultLimits`. */
  readonly limits?: Partial<Limits>;
}

export interface QdrantOperationIndex extends OperationIndex {
  /** Aborts background work, and waits up to 5 s for it to finish. */
  close(): Promise<void>;
}

/**
 * Creates an index of operations in Qdrant, shared by all processes of an installation, with a collection for each
 * model. The similarities are exact, even for a query with many collections. Qdrant versions before 1.16, which have no
 * conditional writes, are not used; `fallback` is searched instead. A query whose vector has components that are not
 * finite causes a `RangeError`.
 */
export const createQdrantOperationIndex = (options: QdrantOperationIndexOptions): QdrantOperationIndex =>
  new QdrantIndex(options);

/** How long `close` waits for background work. */
const closeTimeoutMs = 5_000;
/** The number of collection ids per request, which take up 80 KB of its body. */
const idsPerRequest = 2_000;
const concurrentRequests = 4;

class QdrantIndex implements QdrantOperationIndex {
  readonly #options: QdrantOperationIndexOptions;
  readonly #limits: Limits;
  readonly #points: OperationPoints;
  readonly #outage: SearchOutage;
  /** The copies by model. */
  readonly #copies = new Map<string, OperationCopy>();
  /** The collections that this process has searched, or is about to search. */
  readonly #usedCollections = new Set<string>();
  readonly #backgroundTasks = new Set<Promise<void>>();
  readonly #closeController = new AbortController();

  constructor(options: QdrantOperationIndexOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#points = new OperationPoints(options.url, options.apiKey, this.#limits);
    this.#outage = new SearchOutage(hostOf(options.url), 'operations', options.log);
    // Changes made in the meantime are unknown, so copies are compared before they are used again.
    this.#points.onCircuitOpen(() => this.#copies.clear());
  }

  async search(query: OperationQuery): Promise<OperationMatches> {
    assertFinite(query);
    if (query.candidateIds.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
    try {
      const matches = await this.#search(query);
      this.#outage.end();
      return { matches, isFallback: false };
    } catch (error) {
      this.#outage.begin(error);
      const { matches } = await this.#options.fallback.search(query);
      return { matches, isFallback: true };
    }
  }

  async check(): Promise<void> {
    await this.#points.listCollections();
  }

  async close(): Promise<void> {
    this.#closeController.abort(new NoStateChangeError('The index is closed'));
    await rejectOnTimeout(closeTimeoutMs, Promise.allSettled([...this.#backgroundTasks])).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'The operation index was closed while it was waiting for Qdrant');
    });
  }

  async #search(query: OperationQuery): Promise<readonly OperationMatch[]> {
    const deadline = performance.now() + this.#limits.searchMs;
    const copy = this.#copyOf(query);
    if (!copy.isCompleteUpTo(query.asOf)) await this.#prepare(copy, query);
    try {
      return await rejectOnTimeout(deadline - performance.now(), this.#findMostSimilar(copy, query));
    } catch (error) {
      if (error instanceof TimeoutExceeded) throw new QdrantFailure('unavailable', `searching: ${error.message}`);
      this.#discardIfMissing(query.modelId, copy, error);
      throw error;
    }
  }

  /**
   * Prepares the copy for the query. Slow preparation continues in the background. No search waits while Qdrant is
   * known to be unavailable.
   */
  async #prepare(copy: OperationCopy, { modelId, asOf }: OperationQuery): Promise<void> {
    const isFirst = !copy.isCompleteUpTo(0);
    const preparation = copy.catchUp(asOf);
    const task = preparation
      .then(
        () => {
          this.#outage.markReady();
          return isFirst ? this.#dropUnusedCollections() : undefined;
        },
        (error: unknown) => {
          this.#discardIfMissing(modelId, copy, error);
          this.#outage.begin(error);
        },
      )
      .finally(() => this.#backgroundTasks.delete(task));
    this.#backgroundTasks.add(task);
    if (this.#outage.isActive) throw new NoStateChangeError();
    await rejectOnTimeout(this.#limits.searchMs / 2, preparation);
  }

  /** Queries the collections in parts: every overall best match is also among the best of its part. */
  async #findMostSimilar({ name }: OperationCopy, query: OperationQuery): Promise<readonly OperationMatch[]> {
    const requestedIds = new Set(query.candidateIds);
    const matches: OperationMatch[] = [];
    for (const parts of chunksOf(chunksOf([...requestedIds], idsPerRequest), concurrentRequests)) {
      matches.push(...(await Promise.all(parts.map((part) => this.#points.query(name, query, part)))).flat());
    }
    if (matches.some(({ collectionId }) => !requestedIds.has(collectionId))) {
      throw new QdrantFailure('unavailable', 'it returned operations that were not requested');
    }
    return matches.sort((a, b) => b.similarity - a.similarity).slice(0, query.limit);
  }

  #copyOf({ modelId, vector: { dense } }: OperationQuery): OperationCopy {
    const { blocks, installation } = this.#options;
    const dependencies = { points: this.#points, blocks, closeSignal: this.#closeController.signal };
    const copy =
      this.#copies.get(modelId) ??
      new OperationCopy(nameOf(installation, modelId), modelId, dense.length, dependencies);
    this.#copies.set(modelId, copy);
    this.#usedCollections.add(copy.name);
    return copy;
  }

  /** Deletes the collections of earlier models. A process that still uses such a model creates the collection again. */
  async #dropUnusedCollections(): Promise<void> {
    const { log, installation } = this.#options;
    try {
      for (const name of await this.#points.listCollections()) {
        if (isOperationsCollection(installation, name) && !this.#usedCollections.has(name))
          await this.#points.drop(name);
      }
    } catch (error) {
      log.info({ reason: String(error) }, 'Operations of an earlier model could not be deleted from Qdrant yet');
    }
  }

  /** Discards the copy if the collection is missing, so that the next search creates a new copy. */
  #discardIfMissing(modelId: string, copy: OperationCopy, error: unknown): void {
    const isMissing = error instanceof QdrantFailure && error.kind === 'missing';
    if (isMissing && this.#copies.get(modelId) === copy) this.#copies.delete(modelId);
  }
}

/** Returns the name of a model's collection. */
const nameOf = (installation: string, modelId: string): string =>
  `${operationsPrefixOf(installation)}${modelDigestOf(modelId)}`;

const operationsPrefixOf = (installation: string): string => `${prefixOf(installation)}operations-`;

const isOperationsCollection = (installation: string, name: string): boolean =>
  name.startsWith(operationsPrefixOf(installation)) &&
  /^[0-9a-f]{8}$/.test(name.slice(operationsPrefixOf(installation).length));

const assertFinite = ({ vector: { dense, sparse } }: OperationQuery): void => {
  if (![dense, sparse.weights].every((numbers) => numbers.every(Number.isFinite))) {
    throw new RangeError('A vector has a component that is not finite');
  }
};
