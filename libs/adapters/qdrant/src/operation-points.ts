import { createHash } from 'node:crypto';
import { type CollectionId, type IndexedOperation, type OperationMatch, type OperationQuery } from '@portico/domain';
import { QdrantConnection } from './qdrant-connection.ts';
import { readCounts, assertCompleted, readMatches } from './read-response.ts';

/** A block in Qdrant: the operations of a collection as of a sequence number, with the number of stored points. */
export interface StoredBlock {
  readonly collectionId: CollectionId;
  readonly sequence: number;
  readonly points: number;
}

export type BlockVersion = Pick<StoredBlock, 'collectionId' | 'sequence'>;

/** Returns the number of candidates per kind of vector in a search: far more than requested, see `query`. */
const candidateLimitFor = (limit: number): number => Math.max(4 * limit, 200);

/**
 * The number of vector components per write request, of about 20 bytes each: 1 MB, which takes about ten milliseconds
 * to serialize.
 */
const numbersPerWrite = 50_000;
const blocksPerRequest = 1_000;
/**
 * The maximum number of blocks that are counted, more than there are collections. Blocks beyond this limit would be
 * written again.
 */
const blocksMax = 1_000_000;

/**
 * The Qdrant calls of the operation index. Each operation is a point with a dense vector `meaning` and a sparse vector
 * `words`.
 */
export class OperationPoints extends QdrantConnection {
  /** Creates the collection if it is missing. The collection has no graph (`m: 0`), so every search is exact. */
  async ensureCollection(name: string, dimension: number): Promise<void> {
    if (!(await this.listCollections()).includes(name)) await this.#create(name, dimension);
    for (const field_name of ['collection_id', 'method', 'block']) {
      await this.call('indexing operations', assertCompleted, () =>
        this.bulkClient.createPayloadIndex(name, { wait: true, field_name, field_schema: 'keyword' }),
      );
    }
  }

  async #create(name: string, dimension: number): Promise<void> {
    const vectors = { meaning: { size: dimension, distance: 'Dot' } } as const;
    try {
      await this.call('creating a collection', Boolean, () =>
        this.bulkClient.createCollection(name, { vectors, sparse_vectors: { words: {} }, hnsw_config: { m: 0 } }),
      );
    } catch (error) {
      // Another process may have created it in the meantime.
      if (!(await this.listCollections()).includes(name)) throw error;
    }
  }

  /**
   * Returns the stored blocks of these collections, or of all collections if null. For all collections, the numbers of
   * points may be too high while Qdrant is moving points: exact counts would require a search per block, whereas a
   * wrong count causes only a needless write.
   */
  async readBlocks(name: string, collectionIds: readonly CollectionId[] | null): Promise<readonly StoredBlock[]> {
    const counts = await this.call('counting operations', readCounts, () =>
      this.bulkClient.facet(name, {
        key: 'block',
        exact: collectionIds !== null,
        limit: blocksMax,
        ...(collectionIds ? { filter: { must: [matchAny('collection_id', collectionIds)] } } : {}),
      }),
    );
    return [...counts].map(([block, points]) => {
      const [collectionId = '', sequence] = block.split(' ');
      return { collectionId: collectionId as CollectionId, sequence: Number(sequence), points };
    });
  }

  /** Writes the operations of a block, except those that Qdrant has in this version or a newer one. */
  async write(name: string, block: BlockVersion, operations: readonly IndexedOperation[]): Promise<void> {
    for (const part of partsOf(operations)) {
      await this.call('writing operations', assertCompleted, () =>
        this.bulkClient.upsert(name, {
          wait: true,
          points: part.map((operation) => toPoint(block, operation)),
          update_filter: { must_not: [{ key: 'sequence', range: { gte: block.sequence } }] },
        }),
      );
    }
  }

  /** Removes the points of the collection's earlier blocks. */
  async removeEarlierBlocks(name: string, { collectionId, sequence }: BlockVersion): Promise<void> {
    const must = [matchAny('collection_id', [collectionId]), { key: 'sequence', range: { lt: sequence } }];
    await this.call('removing operations', assertCompleted, () =>
      this.bulkClient.delete(name, { wait: true, filter: { must } }),
    );
  }

  /** Removes these blocks. Other blocks of the same collections are kept. */
  async removeBlocks(name: string, blocks: readonly BlockVersion[]): Promise<void> {
    for (let i = 0; i < blocks.length; i += blocksPerRequest) {
      const must = [matchAny('block', blocks.slice(i, i + blocksPerRequest).map(blockNameOf))];
      await this.call('removing operations', assertCompleted, () =>
        this.bulkClient.delete(name, { wait: true, filter: { must } }),
      );
    }
  }

  /**
   * Returns the most similar operations of these collections, in one request. The best operations by each kind of
   * vector are the candidates; both similarities of every candidate are computed exactly and added up. An operation
   * with a sufficient sum is missed only if it is not among the best for either kind.
   */
  query(
    name: string,
    { vector: { dense, sparse }, method, limit }: Pick<OperationQuery, 'vector' | 'method' | 'limit'>,
    candidateIds: readonly CollectionId[],
  ): Promise<readonly OperationMatch[]> {
    const meaning = { query: [...dense], using: 'meaning', params: { exact: true } };
    const words = { query: { indices: [...sparse.indices], values: [...sparse.weights] }, using: 'words' };
    const kinds = sparse.indices.length > 0 ? [meaning, words] : [meaning];
    const limitPerKind = candidateLimitFor(limit);
    const candidates = kinds.map((kind) => ({ ...kind, limit: limitPerKind }));
    return this.call('searching', readMatches, () =>
      this.quickClient.query(name, {
        prefetch: kinds.map((kind) => ({ ...kind, prefetch: candidates, limit: kinds.length * limitPerKind })),
        query: { formula: { sum: scoreNames.slice(0, kinds.length) }, defaults },
        // The filter also applies to the candidates.
        filter: {
          must: [matchAny('collection_id', candidateIds), ...(method === null ? [] : [matchAny('method', [method])])],
        },
        limit,
        with_payload: ['collection_id', 'key'],
        with_vector: false,
      }),
    );
  }
}

const scoreNames = ['$score[0]', '$score[1]'];
/** The default scores: an operation without any of the query's words has a word similarity of 0. */
const defaults = Object.fromEntries(scoreNames.map((score) => [score, 0]));

const matchAny = (key: string, values: readonly string[]) => ({ key, match: { any: [...values] } });

const blockNameOf = ({ collectionId, sequence }: BlockVersion): string => `${collectionId} ${sequence}`;

const toPoint = (block: BlockVersion, { key, method, vector: { dense, sparse } }: IndexedOperation) => ({
  id: pointIdOf(block.collectionId, key),
  vector: {
    meaning: [...dense],
    ...(sparse.indices.length > 0 ? { words: { indices: [...sparse.indices], values: [...sparse.weights] } } : {}),
  },
  payload: {
    collection_id: block.collectionId,
    key,
    method,
    sequence: block.sequence,
    block: blockNameOf(block),
  },
});

/** Returns an id that is the same in all processes, so that each operation has only one point. */
const pointIdOf = (collectionId: CollectionId, key: string): string =>
  createHash('sha256')
    .update(`${collectionId} ${key}`)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Splits the operations, in order, into parts as large as a request may be. */
const partsOf = (operations: readonly IndexedOperation[]): readonly (readonly IndexedOperation[])[] => {
  const parts: IndexedOperation[][] = [];
  let numbers = numbersPerWrite;
  for (const operation of operations) {
    const { dense, sparse } = operation.vector;
    const size = dense.length + 2 * sparse.indices.length;
    if (numbers + size > numbersPerWrite) {
      parts.push([]);
      numbers = 0;
    }
    parts.at(-1)?.push(operation);
    numbers += size;
  }
  return parts;
};
