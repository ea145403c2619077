import { createEmbeddedVectorIndex } from '@portico/vectors';
import type { Module } from '../parts.ts';

/** The vector index in this process. */
export const embeddedVectorsModule: Module = (provide) => {
  provide('vectors', ['database'], ({ stores }) => createEmbeddedVectorIndex({ embeddings: stores.embeddings }));
};
