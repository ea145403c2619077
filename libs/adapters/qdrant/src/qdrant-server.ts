import { type CollectionId, embeddingDimension } from '@portico/domain';
import { QdrantConnection, readAs } from './qdrant-connection.ts';
import {
  readAliases,
  readDone,
  readPage,
  readScores,
  readSequences,
  readShape,
  type Score,
  type Shape,
} from './read-answer.ts';

export interface StoredPoint {
  readonly collectionId: CollectionId;
  /** The sequence of its embedding in the database: of two versions of a point the greater one is newer. */
  readonly sequence: number;
  readonly modelId: string;
  readonly vector: Float32Array;
}

/** A known version of a point: operations on it leave other versions alone. */
export type PointVersion = Pick<StoredPoint, 'collectionId' | 'sequence'>;

/** The calls of the index of collections, whose points have one unnamed vector. */
export class QdrantServer extends QdrantConnection {
  aliases(): Promise<ReadonlyMap<string, string>> {
    return this.call('reading its aliases', readAliases, () => this.quick.getAliases());
  }

  shape(name: string): Promise<Shape> {
    return this.call('describing a collection', readShape, () => this.quick.getCollection(name));
  }

  /** For points of 768 dimensions with cosine distance. Builds no graph (`m: 0`): every search is exact, see `nearest`. */
  async create(name: string): Promise<void> {
    const vectors = { size: embeddingDimension, distance: 'Cosine' } as const;
    await this.call('creating a collection', Boolean, () =>
      this.bulk.createCollection(name, { vectors, hnsw_config: { m: 0 } }),
    );
    await this.call('indexing the model', readDone, () =>
      this.bulk.createPayloadIndex(name, { wait: true, field_name: 'model', field_schema: 'keyword' }),
    );
  }

  /** Points the alias to the collection, atomically: it never points to nothing. */
  async pointAlias(alias: string, name: string): Promise<void> {
    const actions = [{ create_alias: { alias_name: alias, collection_name: name } }];
    await this.call('setting an alias', Boolean, () => this.quick.updateCollectionAliases({ actions }));
  }

  /** The best by exact comparison, among these ids or, if null, all points of the model. */
  query(
    name: string,
    modelId: string,
    vector: readonly number[],
    ids: readonly CollectionId[] | null,
    limit: number,
  ): Promise<readonly Score[]> {
    const must = [ofModel(modelId), ...(ids ? [{ has_id: [...ids] }] : [])];
    return this.call('searching', readScores, () =>
      this.quick.query(name, {
        query: [...vector],
        filter: { must },
        limit,
        params: { exact: true },
        with_payload: false,
        with_vector: false,
      }),
    );
  }

  /** The sequences of those that exist. */
  sequences(name: string, ids: readonly CollectionId[]): Promise<ReadonlyMap<CollectionId, number>> {
    return this.call('reading sequences', readSequences, () =>
      this.quick.retrieve(name, { ids: [...ids], with_payload: ['sequence'], with_vector: false }),
    );
  }

  /** A page of the model's points, and the offset of the next page. */
  page(name: string, modelId: string, offset: CollectionId | null, limit: number) {
    return this.call('reading all sequences', readPage, () =>
      this.bulk.scroll(name, {
        filter: { must: [ofModel(modelId)] },
        limit,
        with_payload: ['sequence'],
        with_vector: false,
        ...(offset === null ? {} : { offset }),
      }),
    );
  }

  /** Writes unconditionally: for a collection not in use yet, which no other process writes to. */
  async insert(name: string, points: readonly StoredPoint[]): Promise<void> {
    await this.call('writing vectors', readDone, () =>
      this.bulk.upsert(name, { wait: true, points: points.map(toPoint) }),
    );
  }

  /**
   * Writes each point unless a newer version is there, which another process may have written meanwhile. One operation
   * per point, since the conditions differ.
   */
  async writeNewer(name: string, points: readonly StoredPoint[]): Promise<void> {
    const operations = points.map((point) => ({
      upsert: {
        points: [toPoint(point)],
        update_filter: { must_not: [{ key: 'sequence', range: { gte: point.sequence } }] },
      },
    }));
    await this.call('writing vectors', readDone, () => this.bulk.batchUpdate(name, { wait: true, operations }));
  }

  async remove(name: string, collectionId: CollectionId): Promise<void> {
    await this.call('removing a vector', readDone, () =>
      this.bulk.delete(name, { wait: true, points: [collectionId] }),
    );
  }

  /** Removes from a collection not in use: with a short timeout, and without counting towards the circuit breaker. */
  async removeAside(name: string, collectionId: CollectionId): Promise<void> {
    await readAs('removing a vector', readDone, () => this.quick.delete(name, { wait: true, points: [collectionId] }));
  }

  /** Removes points, except those that have another version by now. */
  async removeVersions(name: string, versions: readonly PointVersion[]): Promise<void> {
    const operations = versions.map(({ collectionId, sequence }) => ({
      delete: { filter: { must: [{ has_id: [collectionId] }, { key: 'sequence', match: { value: sequence } }] } },
    }));
    await this.call('removing vectors', readDone, () => this.bulk.batchUpdate(name, { wait: true, operations }));
  }
}

const ofModel = (modelId: string) => ({ key: 'model', match: { value: modelId } });

const toPoint = ({ collectionId, sequence, modelId, vector }: StoredPoint) => ({
  id: collectionId,
  vector: [...vector],
  payload: { model: modelId, sequence },
});
