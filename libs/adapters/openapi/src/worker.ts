import { parentPort } from 'node:worker_threads';
import { errorDetails, isPorticoError, readOperations, type ReadDocument } from '@portico/domain';
import type { Order, Outcome } from './messages.ts';
import { readFile } from './read-file.ts';
import { readMember } from './read-member.ts';
import { operationKeyOf, storedDocument, storedText } from './operations.ts';
import { yamlOfJson } from './yaml-of-json.ts';

/** The thread that reads documents, one at a time. */
parentPort?.on('message', (order: Order) => {
  const outcome = outcomeOf(order);
  parentPort?.postMessage(outcome, packedBuffers(outcome));
});

function outcomeOf(order: Order): Outcome {
  try {
    switch (order.what) {
      case 'member':
        return { member: readMember(order.bytes, order.name) };
      case 'operations':
        return { operations: readOperations(storedDocument(order.bytes), operationKeyOf) };
      case 'yaml text':
        return { text: Uint8Array.from(Buffer.from(yamlOfJson(storedText(order.bytes)))) };
      default:
        return { file: readFile(order.bytes, order.what) };
    }
  } catch (error) {
    if (isPorticoError(error, 'invalid_body')) {
      return { refused: error.message.slice(`${errorDetails.invalid_body}: `.length) };
    }
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The buffers that are transferred with an outcome, not copied. */
function packedBuffers(outcome: Outcome): ArrayBuffer[] {
  const document: ReadDocument | null =
    'member' in outcome ? outcome.member.document : 'file' in outcome ? outcome.file : null;
  const buffer = document?.packed.deflated.buffer;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
