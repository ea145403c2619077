import { createLexicalEmbedder } from '@portico/embedder';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import type { Module } from '../registry.ts';

/** The built-in embedder and the vector index within this process. */
export const searchModule: Module = (provide) => {
  provide('embedder', [], () => createLexicalEmbedder());
  provide('vectors', ['database'], ({ stores }) => createEmbeddedVectorIndex({ embeddings: stores.embeddings }));
};
