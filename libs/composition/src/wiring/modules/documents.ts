import { createDocumentReader, createOperationSlicer } from '@portico/openapi';
import { Closable, type Module } from '../parts.ts';

/** Reads OpenAPI documents in worker threads, and extracts their operations in a separate thread. */
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
