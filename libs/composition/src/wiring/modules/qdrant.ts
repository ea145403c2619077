import { createQdrantVectorIndex } from '@portico/qdrant';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { Closable, configured, type Module } from '../parts.ts';

/** The vector index in Qdrant; while it is away, this process searches the vectors of the database. */
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
};
