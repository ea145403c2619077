import { createDocumentReader } from '@portico/openapi';
import { Closable, type Module } from '../parts.ts';

/** OpenAPI documents, read in worker threads. */
export const documentsModule: Module = (provide) => {
  provide('documents', [], () => {
    const reader = createDocumentReader();
    return new Closable(reader, () => reader.close());
  });
};
