import { createEmbeddingChanges, type VectorIndexSubject } from '@portico/contracts';
import { createEmbeddedVectorIndex } from '../src/embedded-vector-index.ts';

/** Creates an index over a store that can be interrupted. */
export const createSubject = (): VectorIndexSubject => {
  const embeddings = createEmbeddingChanges();
  let interrupted = false;
  const index = createEmbeddedVectorIndex({
    embeddings: {
      ...embeddings,
      changedSince: async (...args) => {
        if (interrupted) {
          throw new Error('the store is down');
        }
        return embeddings.changedSince(...args);
      },
    },
  });
  const set = (value: boolean) => () => {
    interrupted = value;
  };
  return { index, embeddings, interrupt: set(true), resume: set(false) };
};
