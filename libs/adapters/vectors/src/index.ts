export * from './embedded-operation-index.ts';
export * from './embedded-vector-index.ts';
