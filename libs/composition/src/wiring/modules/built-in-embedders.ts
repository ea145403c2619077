import { createLexicalEmbedder } from '@portico/embedder';
import { createWordVectorEmbedders } from '@portico/word-vectors';
import type { Module } from '../parts.ts';

/**
 * The embedders of this version, with the current one first, and the embedder of operations, which uses the same table
 * of words as the current one. The other embedders were current in earlier versions: after an update, searches use them
 * until everything is embedded with the current one. An embedder can be removed once no version that users upgrade from
 * has it.
 */
export const builtInEmbeddersModule: Module = (provide) => {
  provide('builtIn', [], () => {
    const { embedder, operationEmbedder } = createWordVectorEmbedders();
    return { embedders: [embedder, createLexicalEmbedder()], operationEmbedder };
  });
};
