import { createLexicalEmbedder } from '@portico/embedder';
import type { Module } from '../parts.ts';

/** The built-in embedder. */
export const lexicalEmbedderModule: Module = (provide) => {
  provide('embedder', [], () => createLexicalEmbedder());
};
