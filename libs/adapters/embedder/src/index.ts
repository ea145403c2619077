export * from './lexical-embedder.ts';
