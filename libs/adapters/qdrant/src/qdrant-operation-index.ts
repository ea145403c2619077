import { type Log, TookTooLong, within } from '@portico/dependencies';
import type {
  OperationBlockStore,
  OperationIndex,
  OperationMatch,
  OperationMatches,
  OperationQuery,
} from '@portico/domain';
import { type Limits, placeOf, usualLimits } from './connect.ts';
import { chunksOf } from './generation.ts';
import { modelDigest, prefixOf } from './names.ts';
import { OperationCopy } from './operation-copy.ts';
import { OperationPoints } from './operation-points.ts';
import { SearchOutage, StillOut } from './outage.ts';
import { QdrantFailure } from './qdrant-failure.ts';

export interface QdrantOperationIndexOptions {
  /** `http://host` means port 6333, `https://host` means 443. */
  readonly url: string;
  readonly apiKey: string | null;
  /** The source of truth that the index copies. */
  readonly blocks: Pick<OperationBlockStore, 'changedSince'>;
  /** Answers from the database's vectors while Qdrant cannot. */
  readonly fallback: OperationIndex;
  readonly log: Log;
  /** The id of the installation, which is in the names of its collections: others are left alone. */
  readonly installation: string;
  /** Overrides values of `usualLimits`. */
  readonly limits?: Partial<Limits>;
}

export interface QdrantOperationIndex extends OperationIndex {
  /** Ends background work, and waits up to 5 s for it. */
  close(): Promise<void>;
}

/**
 * An index of operations in Qdrant, shared by all processes of an installation, with a collection for each model. The
 * similarities are exact, also of a query that has many collections. A Qdrant before 1.16, which has no conditional
 * writes, is not used: `fallback` answers. A query that is not finite causes a `RangeError`.
 */
export const createQdrantOperationIndex = (options: QdrantOperationIndexOptions): QdrantOperationIndex =>
  new QdrantIndex(options);

/** How long `close` waits for background work. */
const closingMs = 5_000;
/** Collection ids per request: 80 KB of its body. */
const idsPerRequest = 2_000;
const requestsAtOnce = 4;

class QdrantIndex implements QdrantOperationIndex {
  readonly #options: QdrantOperationIndexOptions;
  readonly #limits: Limits;
  readonly #points: OperationPoints;
  readonly #outage: SearchOutage;
  /** By model. */
  readonly #copies = new Map<string, OperationCopy>();
  /** The collections that this process has searched, or is about to. */
  readonly #searched = new Set<string>();
  readonly #following = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: QdrantOperationIndexOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#points = new OperationPoints(options.url, options.apiKey, this.#limits);
    this.#outage = new SearchOutage(placeOf(options.url), 'operations', options.log);
    // Changes made meanwhile are unknown, so it is compared before it is used again.
    this.#points.onGivenUp(() => this.#copies.clear());
  }

  async search(query: OperationQuery): Promise<OperationMatches> {
    check(query);
    if (query.among.length === 0 || query.limit < 1) return { matches: [], isFallback: false };
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
    await this.#points.collections();
  }

  async close(): Promise<void> {
    this.#closing.abort(new StillOut('The index is closed'));
    await within(closingMs, Promise.allSettled([...this.#following])).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'The index of operations was closed while it waited for Qdrant');
    });
  }

  async #search(query: OperationQuery): Promise<readonly OperationMatch[]> {
    const until = performance.now() + this.#limits.searchMs;
    const copy = this.#copyOf(query);
    if (!copy.isUpTo(query.asOf)) await this.#prepare(copy, query);
    try {
      return await within(until - performance.now(), this.#mostSimilar(copy, query));
    } catch (error) {
      if (error instanceof TookTooLong) throw new QdrantFailure('away', `searching: ${error.message}`);
      this.#leaveIfMissing(query.modelId, copy, error);
      throw error;
    }
  }

  /** Slow preparation continues in the background, and no search waits while Qdrant is known to be away. */
  async #prepare(copy: OperationCopy, { modelId, asOf }: OperationQuery): Promise<void> {
    const isFirst = !copy.isUpTo(0);
    const preparing = copy.catchUp(asOf);
    const followed = preparing
      .then(
        () => {
          this.#outage.ready();
          return isFirst ? this.#dropOthers() : undefined;
        },
        (error: unknown) => {
          this.#leaveIfMissing(modelId, copy, error);
          this.#outage.begin(error);
        },
      )
      .finally(() => this.#following.delete(followed));
    this.#following.add(followed);
    if (this.#outage.isOn) throw new StillOut();
    await within(this.#limits.searchMs / 2, preparing);
  }

  /** Whatever is among the best overall is among the best of its part. */
  async #mostSimilar({ name }: OperationCopy, query: OperationQuery): Promise<readonly OperationMatch[]> {
    const inside = new Set(query.among);
    const found: OperationMatch[] = [];
    for (const parts of chunksOf(chunksOf([...inside], idsPerRequest), requestsAtOnce)) {
      found.push(...(await Promise.all(parts.map((part) => this.#points.query(name, query, part)))).flat());
    }
    if (found.some(({ collectionId }) => !inside.has(collectionId))) {
      throw new QdrantFailure('away', 'it returned operations that were not asked for');
    }
    return found.sort((a, b) => b.similarity - a.similarity).slice(0, query.limit);
  }

  #copyOf({ modelId, vector: { dense } }: OperationQuery): OperationCopy {
    const { blocks, installation } = this.#options;
    const parts = { points: this.#points, blocks, closing: this.#closing.signal };
    const copy =
      this.#copies.get(modelId) ?? new OperationCopy(nameOf(installation, modelId), modelId, dense.length, parts);
    this.#copies.set(modelId, copy);
    this.#searched.add(copy.name);
    return copy;
  }

  /** What models used before have left behind. A process that still uses one makes its collection again. */
  async #dropOthers(): Promise<void> {
    const { log, installation } = this.#options;
    try {
      for (const name of await this.#points.collections()) {
        if (isOf(installation, name) && !this.#searched.has(name)) await this.#points.drop(name);
      }
    } catch (error) {
      log.info({ reason: String(error) }, 'Operations of an earlier model could not be deleted from Qdrant yet');
    }
  }

  /** The next search makes a new one. */
  #leaveIfMissing(modelId: string, copy: OperationCopy, error: unknown): void {
    const isMissing = error instanceof QdrantFailure && error.kind === 'missing';
    if (isMissing && this.#copies.get(modelId) === copy) this.#copies.delete(modelId);
  }
}

/** The collection of a model. */
const nameOf = (installation: string, modelId: string): string =>
  `${operationsPrefixOf(installation)}${modelDigest(modelId)}`;

const operationsPrefixOf = (installation: string): string => `${prefixOf(installation)}operations-`;

const isOf = (installation: string, name: string): boolean =>
  name.startsWith(operationsPrefixOf(installation)) &&
  /^[0-9a-f]{8}$/.test(name.slice(operationsPrefixOf(installation).length));

const check = ({ vector: { dense, sparse } }: OperationQuery): void => {
  if (![dense, sparse.weights].every((numbers) => numbers.every(Number.isFinite))) {
    throw new RangeError('A vector has a number that is not finite');
  }
};
