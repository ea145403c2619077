export * from './create-document-reader.ts';
export * from './create-operation-slicer.ts';
export { operationKeyOf } from './operations.ts';
