export * from './embedded-vector-index.ts';
export * from './provisional.ts';
