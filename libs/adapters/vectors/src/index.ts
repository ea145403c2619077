export * from './embedded-vector-index.ts';
