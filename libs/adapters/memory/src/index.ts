export * from './memory-stores.ts';
export * from './memory-document-reader.ts';
