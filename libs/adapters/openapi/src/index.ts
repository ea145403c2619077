export * from './create-document-reader.ts';
