import { createOperationBlockChanges, type OperationIndexSubject } from '@portico/contracts';
import { createEmbeddedOperationIndex } from '../src/embedded-operation-index.ts';

/** Creates an index over a store that can be interrupted. */
export const createSubject = (): OperationIndexSubject => {
  const blocks = createOperationBlockChanges();
  let isInterrupted = false;
  const index = createEmbeddedOperationIndex({
    blocks: {
      ...blocks,
      listChangedSince: async (...args) => {
        if (isInterrupted) throw new Error('the store is down');
        return blocks.listChangedSince(...args);
      },
    },
  });
  const setInterrupted = (value: boolean) => () => {
    isInterrupted = value;
  };
  return { index, blocks, interrupt: setInterrupted(true), resume: setInterrupted(false) };
};
