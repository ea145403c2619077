import { createQdrantOperationIndex, createQdrantVectorIndex } from '@portico/qdrant';
import { createEmbeddedOperationIndex, createEmbeddedVectorIndex } from '@portico/vectors';
import { Closable, configured, type Module } from '../parts.ts';

/** The indexes in Qdrant; while it is away, this process searches the vectors of the database. */
export const qdrantModule: Module = (provide) => {
  provide('vectors', ['config', 'logger', 'database'], ({ qdrant }, logger, { stores: { embeddings } }) => {
    const index = createQdrantVectorIndex({
      ...configured(qdrant, 'QDRANT_URL'),
      embeddings,
      fallback: createEmbeddedVectorIndex({ embeddings }),
      log: logger,
    });
    return new Closable(index, () => index.close());
  });
  provide('operationIndex', ['config', 'logger', 'database'], ({ qdrant }, logger, { stores }) => {
    const blocks = stores.operationBlocks;
    const index = createQdrantOperationIndex({
      ...configured(qdrant, 'QDRANT_URL'),
      blocks,
      fallback: createEmbeddedOperationIndex({ blocks }),
      log: logger,
    });
    return new Closable(index, () => index.close());
  });
};
