import { type CollectionId, embeddingDimension } from '@portico/domain';
import { QdrantConnection, callDirectly } from './qdrant-connection.ts';
import {
  readAliases,
  assertCompleted,
  readPage,
  readScores,
  readSequences,
  readShape,
  type Score,
  type Shape,
} from './read-response.ts';

export interface StoredPoint {
  readonly collectionId: CollectionId;
  /** The sequence number of the point's embedding in the database. A greater number is a newer version of the point. */
  readonly sequence: number;
  readonly modelId: string;
  readonly vector: Float32Array;
}

/** A known version of a point. Operations on it do not touch other versions. */
export type PointVersion = Pick<StoredPoint, 'collectionId' | 'sequence'>;

/** The Qdrant calls of the collection index. Each point has one unnamed vector. */
export class QdrantServer extends QdrantConnection {
  readAliases(): Promise<ReadonlyMap<string, string>> {
    return this.call('reading its aliases', readAliases, () => this.quickClient.getAliases());
  }

  readShape(name: string): Promise<Shape> {
    return this.call('describing a collection', readShape, () => this.quickClient.getCollection(name));
  }

  /**
   * Creates a collection for 768 dimensions with cosine distance. It has no graph (`m: 0`), so every search is exact,
   * see `findNearest`.
   */
  async create(name: string): Promise<void> {
    const vectors = { size: embeddingDimension, distance: 'Cosine' } as const;
    await this.call('creating a collection', Boolean, () =>
      this.bulkClient.createCollection(name, { vectors, hnsw_config: { m: 0 } }),
    );
    await this.call('indexing the model', assertCompleted, () =>
      this.bulkClient.createPayloadIndex(name, { wait: true, field_name: 'model', field_schema: 'keyword' }),
    );
  }

  /** Points the alias to the collection atomically, so that it never dangles. */
  async pointAlias(alias: string, name: string): Promise<void> {
    const actions = [{ create_alias: { alias_name: alias, collection_name: name } }];
    await this.call('setting an alias', Boolean, () => this.quickClient.updateCollectionAliases({ actions }));
  }

  /** Returns the best points by exact comparison, among these ids or, if null, among all points of the model. */
  query(
    name: string,
    modelId: string,
    vector: readonly number[],
    ids: readonly CollectionId[] | null,
    limit: number,
  ): Promise<readonly Score[]> {
    const must = [matchModel(modelId), ...(ids ? [{ has_id: [...ids] }] : [])];
    return this.call('searching', readScores, () =>
      this.quickClient.query(name, {
        query: [...vector],
        filter: { must },
        limit,
        params: { exact: true },
        with_payload: false,
        with_vector: false,
      }),
    );
  }

  /** Returns the sequence numbers of those points that exist. */
  readSequences(name: string, ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, number>> {
    return this.call('reading sequence numbers', readSequences, () =>
      this.quickClient.retrieve(name, { ids: [...ids], with_payload: ['sequence'], with_vector: false }),
    );
  }

  /** Returns a page of the model's points, and the offset of the next page. */
  readPage(name: string, modelId: string, offset: CollectionId | null, limit: number) {
    return this.call('reading all sequence numbers', readPage, () =>
      this.bulkClient.scroll(name, {
        filter: { must: [matchModel(modelId)] },
        limit,
        with_payload: ['sequence'],
        with_vector: false,
        ...(offset === null ? {} : { offset }),
      }),
    );
  }

  /**
   * Writes points unconditionally. Only for a collection that is not in use yet, because no other process writes to it.
   */
  async insert(name: string, points: readonly StoredPoint[]): Promise<void> {
    await this.call('writing vectors', assertCompleted, () =>
      this.bulkClient.upsert(name, { wait: true, points: points.map(toPoint) }),
    );
  }

  /**
   * Writes each point unless Qdrant has a newer version, which another process may have written in the meantime. Needs
   * one operation per point, because the conditions differ.
   */
  async writeNewer(name: string, points: readonly StoredPoint[]): Promise<void> {
    const operations = points.map((point) => ({
      upsert: {
        points: [toPoint(point)],
        update_filter: { must_not: [{ key: 'sequence', range: { gte: point.sequence } }] },
      },
    }));
    await this.call('writing vectors', assertCompleted, () =>
      this.bulkClient.batchUpdate(name, { wait: true, operations }),
    );
  }

  async remove(name: string, collectionId: CollectionId): Promise<void> {
    await this.call('removing a vector', assertCompleted, () =>
      this.bulkClient.delete(name, { wait: true, points: [collectionId] }),
    );
  }

  /** Removes a point from an unused collection, with a short timeout and without the circuit breaker. */
  async removeFromUnused(name: string, collectionId: CollectionId): Promise<void> {
    await callDirectly('removing a vector', assertCompleted, () =>
      this.quickClient.delete(name, { wait: true, points: [collectionId] }),
    );
  }

  /** Removes points, except those whose version has changed in the meantime. */
  async removeVersions(name: string, versions: readonly PointVersion[]): Promise<void> {
    const operations = versions.map(({ collectionId, sequence }) => ({
      delete: { filter: { must: [{ has_id: [collectionId] }, { key: 'sequence', match: { value: sequence } }] } },
    }));
    await this.call('removing vectors', assertCompleted, () =>
      this.bulkClient.batchUpdate(name, { wait: true, operations }),
    );
  }
}

const matchModel = (modelId: string) => ({ key: 'model', match: { value: modelId } });

const toPoint = ({ collectionId, sequence, modelId, vector }: StoredPoint) => ({
  id: collectionId,
  vector: [...vector],
  payload: { model: modelId, sequence },
});
