import { createDocumentReader, createOperationSlicer } from '@portico/openapi';
import { Closable, type Module } from '../parts.ts';

/** OpenAPI documents, read in worker threads, and their operations, cut out in another one. */
export const documentsModule: Module = (provide) => {
  provide('documents', [], () => {
    const reader = createDocumentReader();
    return new Closable(reader, () => reader.close());
  });
  provide('slicer', [], () => {
    const slicer = createOperationSlicer();
    return new Closable(slicer, () => slicer.close());
  });
};
