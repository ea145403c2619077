export * from './word-vector-embedder.ts';
