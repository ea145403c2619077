import { createEmbeddedOperationIndex } from '@portico/vectors';
import type { Module } from '../parts.ts';

/** The search for operations: the built-in embedder, and the index in this process. */
export const operationSearchModule: Module = (provide) => {
  provide('operationEmbedder', ['builtIn'], ({ operationEmbedder }) => operationEmbedder);
  provide('operationIndex', ['database'], ({ stores }) =>
    createEmbeddedOperationIndex({ blocks: stores.operationBlocks }),
  );
};
