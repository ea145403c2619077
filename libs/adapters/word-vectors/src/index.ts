export * from './word-vector-embedder.ts';
export * from './provisional.ts';
