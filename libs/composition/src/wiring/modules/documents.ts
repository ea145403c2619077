import { createDocumentReader, createOperationSlicer } from '@portico/openapi';
import { Closable, type Module } from '../parts.ts';

/** OpenAPI documents, read and cut in worker threads: an upload delays no slice. */
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
