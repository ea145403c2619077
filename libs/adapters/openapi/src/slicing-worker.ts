import { parentPort, workerData } from 'node:worker_threads';
import {
  findDocumentOperation,
  buildOperationDocument,
  buildOperationSlice,
  buildOperationTool,
  isJsonObject,
  parseExactJson,
  prepareRequest,
  sourceOf,
  type DocumentOperation,
  type PackedText,
  type SliceRequest,
  type Source,
} from '@portico/domain';
import { releaseMemory, largeBytes } from './release-memory.ts';
import { DocumentCache } from './document-cache.ts';
import { unpackText } from './packed-text.ts';
import type { SliceTask, SliceResult } from './slice-messages.ts';
import { SparseDocument } from './sparse-document.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';

/** This thread slices operations out of documents, one at a time, and caches the most recently requested documents. */
const { cachedBytesMax } = workerData as { readonly cachedBytesMax: number };
const documents = new DocumentCache(cachedBytesMax);
lowerThreadPriority();

parentPort?.on('message', (task: SliceTask) => {
  const result = run(task);
  parentPort?.postMessage(result, 'slice' in result ? [result.slice.buffer] : []);
  if (task.kind === 'load' && task.text.bytes >= largeBytes) releaseMemory();
});

function run(task: SliceTask): SliceResult {
  try {
    if (task.kind === 'load') return load(task.digest, task.text);
    const document = documents.get(task.digest);
    if (document === undefined) return { unknown: true };
    const operation = findDocumentOperation(document.getDocument(), task.request.method, task.request.path);
    if (!operation) return { absent: true };
    const source = sourceOf(document.getDocument());
    if (task.kind === 'slice') return { slice: Uint8Array.from(Buffer.from(textOf(source, operation, task.request))) };
    const values = parseExactJson(task.request.argumentsText);
    if (!isJsonObject(values)) throw new Error('The arguments are not an object');
    return { preparation: prepareRequest(source, operation, task.request.context, values) };
  } catch (error) {
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

function load(digest: string, packed: PackedText): SliceResult {
  documents.put(digest, new SparseDocument(unpackText(packed)));
  return { loaded: true };
}

function textOf(source: Source, operation: DocumentOperation, request: SliceRequest): string {
  switch (request.form) {
    case 'slice':
      return buildOperationSlice(source, operation, request.context, request);
    case 'tool':
      return buildOperationTool(source, operation, request.context, request.maxBytes);
    case 'openapi':
      return buildOperationDocument(source.document, operation, request.context.settings);
  }
}
