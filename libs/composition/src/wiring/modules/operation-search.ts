import { createEmbeddedOperationIndex } from '@portico/vectors';
import type { Module } from '../parts.ts';

/** The index of operations in this process. */
export const operationSearchModule: Module = (provide) => {
  provide('operationIndex', ['database'], ({ stores }) =>
    createEmbeddedOperationIndex({ blocks: stores.operationBlocks }),
  );
};
