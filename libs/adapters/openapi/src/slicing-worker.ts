import { parentPort, workerData } from 'node:worker_threads';
import { constants, inflateRawSync } from 'node:zlib';
import {
  documentOperation,
  operationDocument,
  operationSlice,
  operationTool,
  type DocumentOperation,
  type Json,
  type PackedText,
  type SliceRequest,
} from '@portico/domain';
import { KeptDocuments } from './kept-documents.ts';
import { parsed } from './read-json.ts';
import type { SliceOrder, SliceOutcome } from './slice-messages.ts';

/** The thread that cuts operations out of documents, one at a time, and keeps the documents that were asked for last. */
const { keptBytesMax } = workerData as { readonly keptBytesMax: number };
const documents = new KeptDocuments(keptBytesMax);

parentPort?.on('message', (order: SliceOrder) => {
  const outcome = outcomeOf(order);
  parentPort?.postMessage(outcome, 'slice' in outcome ? [outcome.slice.buffer] : []);
});

function outcomeOf(order: SliceOrder): SliceOutcome {
  try {
    if (order.what === 'keep') return keep(order.digest, order.text);
    const document = documents.get(order.digest);
    return document === undefined ? { unknown: true } : sliced(document, order.request);
  } catch (error) {
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

function keep(digest: string, { deflated, bytes }: PackedText): SliceOutcome {
  // The stream has no final block (see `PackedText`).
  const text = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, bytes) });
  documents.keep(digest, text, () => parsed(text));
  return { kept: true };
}

function sliced(document: Json, request: SliceRequest): SliceOutcome {
  const operation = documentOperation(document, request.method, request.path);
  if (!operation) return { absent: true };
  return { slice: Uint8Array.from(Buffer.from(textOf(document, operation, request))) };
}

function textOf(document: Json, operation: DocumentOperation, request: SliceRequest): string {
  switch (request.form) {
    case 'slice':
      return operationSlice(document, operation, request.facts, request);
    case 'tool':
      return operationTool(document, operation, request.facts, request.maxBytes);
    case 'openapi':
      return operationDocument(document, operation);
  }
}
