import { parentPort } from 'node:worker_threads';
import { errorDetails, isPorticoError, type ReadDocument } from '@portico/domain';
import type { Answer, Order } from './messages.ts';
import { readBody } from './read-body.ts';
import { readFile } from './read-file.ts';

/** The thread in which documents are read, one after the other. */
parentPort?.on('message', (order: Order) => {
  const answer = answerTo(order);
  parentPort?.postMessage(answer, packedBuffers(answer));
});

function answerTo({ what, bytes }: Order): Answer {
  try {
    return what === 'body' ? { body: readBody(bytes) } : { file: readFile(bytes, what) };
  } catch (error) {
    if (isPorticoError(error, 'invalid_body')) {
      return { refused: error.message.slice(`${errorDetails.invalid_body}: `.length) };
    }
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** What is moved along with an answer, not copied. */
function packedBuffers(answer: Answer): ArrayBuffer[] {
  const document: ReadDocument | null = 'body' in answer ? answer.body.document : 'file' in answer ? answer.file : null;
  const buffer = document?.packed.deflated.buffer;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
