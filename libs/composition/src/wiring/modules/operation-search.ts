import { createEmbeddedOperationIndex } from '@portico/vectors';
import { createOperationEmbedder } from '@portico/word-vectors';
import type { Module } from '../parts.ts';

/** The search for operations: the built-in embedder, and the index in this process. */
export const operationSearchModule: Module = (provide) => {
  provide('operationEmbedder', [], () => createOperationEmbedder());
  provide('operationIndex', ['database'], ({ stores }) =>
    createEmbeddedOperationIndex({ blocks: stores.operationBlocks }),
  );
};
