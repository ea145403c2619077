import { defineEntity, p } from '@mikro-orm/core';
import { int64, text } from './columns.ts';
import { createCollectionReference } from './collection-entities.ts';

/** The vectors of a collection's operations, computed by one model. */
export const OperationBlockEntity = defineEntity({
  name: 'OperationBlock',
  tableName: 'operation_blocks',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    modelId: text().primary(),
    documentDigest: text(),
    contentRevision: int64(),
    sequence: int64(),
    operations: int64(),
    packed: p.blob(),
  },
  uniques: [{ name: 'operation_blocks_sequence_unique', properties: ['modelId', 'sequence'] }],
});

export const EmbeddingEntity = defineEntity({
  name: 'Embedding',
  tableName: 'collection_embeddings',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    modelId: text().primary(),
    contentRevision: int64(),
    sequence: int64(),
    /** 768 little-endian 32-bit floats. */
    vector: p.blob(),
  },
  uniques: [{ name: 'collection_embeddings_sequence_unique', properties: ['modelId', 'sequence'] }],
  /** Used to find the collections that are up to date without reading vectors. */
  indexes: [{ name: 'collection_embeddings_model_index', properties: ['modelId', 'collectionId', 'contentRevision'] }],
});

/** The table that release 0.1.0 reads and writes. Triggers keep it in sync, and nothing else uses it. */
export const PreviousEmbeddingEntity = defineEntity({
  name: 'PreviousEmbedding',
  tableName: 'embeddings',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    modelId: text(),
    contentRevision: int64(),
    sequence: int64().unique('embeddings_sequence_unique'),
    vector: p.blob(),
  },
});

/** The models with stored embeddings. */
export const SearchModelEntity = defineEntity({
  name: 'SearchModel',
  tableName: 'search_models',
  properties: {
    modelId: text().primary(),
    /** 0 for models of release 0.1.0, whose embeddings are also written to its table. */
    firstSeenAt: int64(),
    lastSeenAt: int64(),
  },
});

export const ReindexRunEntity = defineEntity({
  name: 'ReindexRun',
  tableName: 'reindex_runs',
  properties: { seq: p.integer().primary(), id: text(), total: int64(), startedAt: int64() },
});
