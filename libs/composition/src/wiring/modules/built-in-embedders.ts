import { createLexicalEmbedder } from '@portico/embedder';
import { createWordVectorEmbedders } from '@portico/word-vectors';
import type { Module } from '../parts.ts';

/**
 * The embedders of this version, the current one first, and the one of operations, which shares its table of words. The
 * others were current in earlier versions: after an update searches use them until everything is embedded with the
 * current one. One may go when no version that is upgraded from had it.
 */
export const builtInEmbeddersModule: Module = (provide) => {
  provide('builtIn', [], () => {
    const { embedder, operationEmbedder } = createWordVectorEmbedders();
    return { embedders: [embedder, createLexicalEmbedder()], operationEmbedder };
  });
};
