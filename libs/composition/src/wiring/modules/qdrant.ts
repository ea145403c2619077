import { createQdrantOperationIndex, createQdrantRoster, createQdrantVectorIndex } from '@portico/qdrant';
import { createEmbeddedOperationIndex, createEmbeddedVectorIndex } from '@portico/vectors';
import { Closable, requireSetting, type Module } from '../parts.ts';

/** The indexes in Qdrant; while it is unavailable, this process searches the vectors in the database. */
export const qdrantModule: Module = (provide) => {
  provide('qdrantRoster', ['config'], ({ qdrant }) => createQdrantRoster(requireSetting(qdrant, 'QDRANT_URL')));
  provide('vectors', ['config', 'logger', 'database', 'installation'], ({ qdrant }, logger, database, installation) => {
    const { embeddings } = database.stores;
    const index = createQdrantVectorIndex({
      ...requireSetting(qdrant, 'QDRANT_URL'),
      installation,
      embeddings,
      fallback: createEmbeddedVectorIndex({ embeddings }),
      log: logger,
    });
    return new Closable(index, () => index.close());
  });
  provide(
    'operationIndex',
    ['config', 'logger', 'database', 'installation'],
    ({ qdrant }, logger, database, installation) => {
      const blocks = database.stores.operationBlocks;
      const index = createQdrantOperationIndex({
        ...requireSetting(qdrant, 'QDRANT_URL'),
        installation,
        blocks,
        fallback: createEmbeddedOperationIndex({ blocks }),
        log: logger,
      });
      return new Closable(index, () => index.close());
    },
  );
};
