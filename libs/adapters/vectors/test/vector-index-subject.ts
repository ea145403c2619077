import { createEmbeddingChanges, type VectorIndexSubject } from '@portico/contracts';
import { createEmbeddedVectorIndex } from '../src/embedded-vector-index.ts';

/** Creates an index over a store that can be interrupted. */
export const createSubject = (): VectorIndexSubject => {
  const embeddings = createEmbeddingChanges();
  let isInterrupted = false;
  const index = createEmbeddedVectorIndex({
    embeddings: {
      ...embeddings,
      listChangedSince: async (...args) => {
        if (isInterrupted) {
          throw new Error('the store is down');
        }
        return embeddings.listChangedSince(...args);
      },
    },
  });
  const setInterrupted = (value: boolean) => () => {
    isInterrupted = value;
  };
  return { index, embeddings, interrupt: setInterrupted(true), resume: setInterrupted(false) };
};
