import { parentPort, workerData } from 'node:worker_threads';
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
import { giveMemoryBack, largeBytes } from './give-memory-back.ts';
import { KeptDocuments } from './kept-documents.ts';
import { unpacked } from './packed-text.ts';
import type { SliceOrder, SliceOutcome } from './slice-messages.ts';
import { SparseDocument } from './sparse-document.ts';
import { giveWay } from './thread-priority.ts';

/** The thread that cuts operations out of documents, one at a time, and keeps the documents that were asked for last. */
const { keptBytesMax } = workerData as { readonly keptBytesMax: number };
const documents = new KeptDocuments(keptBytesMax);
giveWay();

parentPort?.on('message', (order: SliceOrder) => {
  const outcome = outcomeOf(order);
  parentPort?.postMessage(outcome, 'slice' in outcome ? [outcome.slice.buffer] : []);
  if (order.what === 'keep' && order.text.bytes >= largeBytes) giveMemoryBack();
});

function outcomeOf(order: SliceOrder): SliceOutcome {
  try {
    if (order.what === 'keep') return keep(order.digest, order.text);
    const document = documents.get(order.digest);
    return document === undefined ? { unknown: true } : sliced(document.look(), order.request);
  } catch (error) {
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

function keep(digest: string, packed: PackedText): SliceOutcome {
  documents.keep(digest, new SparseDocument(unpacked(packed)));
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
