import { createOperationBlockChanges, type OperationIndexSubject } from '@portico/contracts';
import { createEmbeddedOperationIndex } from '../src/embedded-operation-index.ts';

/** Creates an index over a store that can be interrupted. */
export const createSubject = (): OperationIndexSubject => {
  const blocks = createOperationBlockChanges();
  let interrupted = false;
  const index = createEmbeddedOperationIndex({
    blocks: {
      ...blocks,
      changedSince: async (...args) => {
        if (interrupted) throw new Error('the store is down');
        return blocks.changedSince(...args);
      },
    },
  });
  const set = (value: boolean) => () => {
    interrupted = value;
  };
  return { index, blocks, interrupt: set(true), resume: set(false) };
};
