import { createEmbeddedVectorIndex } from '@portico/vectors';
import type { Module } from '../registry.ts';

/** The vector index within this process. */
export const embeddedVectorsModule: Module = (provide) => {
  provide('vectors', ['database'], ({ stores }) => createEmbeddedVectorIndex({ embeddings: stores.embeddings }));
};
