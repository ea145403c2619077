import { MessagePort, parentPort, type Transferable } from 'node:worker_threads';
import { errorDetails, isPorticoError, readOperations, type PackedText, type ReadDocument } from '@portico/domain';
import type { Order, Outcome, SentDocument, StoredText } from './messages.ts';
import { giveMemoryBack, largeBytes } from './give-memory-back.ts';
import { readFile } from './read-file.ts';
import { readMember } from './read-member.ts';
import { operationKeyOf } from './operations.ts';
import { TextPacker, unpacked } from './packed-text.ts';
import { sent } from './portions.ts';
import { parsed } from './read-json.ts';
import { giveWay } from './thread-priority.ts';
import { yamlOfJson } from './yaml-of-json.ts';

giveWay();

/** The thread that reads documents, one at a time. */
parentPort?.on('message', (order: Order) => {
  const outcome = outcomeOf(order);
  const isLarge = order.bytes.byteLength >= largeBytes || (packedTextIn(outcome)?.bytes ?? 0) >= largeBytes;
  parentPort?.postMessage(outcome, transferred(outcome));
  if (isLarge) giveMemoryBack();
});

function outcomeOf(order: Order): Outcome {
  try {
    switch (order.what) {
      case 'member': {
        const { fields, document } = readMember(order.bytes, order.name);
        return { member: { fields, document: document && sentDocument(document) } };
      }
      case 'operations':
        return { operations: sent(readOperations(parsed(unpacked(packedIn(order))), operationKeyOf)) };
      case 'yaml text':
        return { text: yamlText(packedIn(order)) };
      default:
        return { file: sentDocument(readFile(order.bytes, order.what)) };
    }
  } catch (error) {
    if (isPorticoError(error, 'invalid_body')) {
      return { refused: error.message.slice(`${errorDetails.invalid_body}: `.length) };
    }
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

const packedIn = ({ bytes, text }: StoredText): PackedText => ({ deflated: bytes, ...text });

function yamlText(json: PackedText): PackedText {
  const packer = new TextPacker();
  yamlOfJson(unpacked(json).toString(), (piece) => packer.add(piece));
  return packer.finish();
}

const sentDocument = (document: ReadDocument): SentDocument => ({
  ...document,
  operations: sent(document.operations),
});

/** What goes over with an outcome, and is not copied. */
function transferred(outcome: Outcome): Transferable[] {
  const moved = [packedTextIn(outcome)?.deflated.buffer, operationsIn(outcome)];
  return moved.filter((each) => each instanceof ArrayBuffer || each instanceof MessagePort);
}

function packedTextIn(outcome: Outcome): PackedText | undefined {
  return 'text' in outcome ? outcome.text : documentIn(outcome)?.packed;
}

const operationsIn = (outcome: Outcome): SentDocument['operations'] | undefined =>
  'operations' in outcome ? outcome.operations : documentIn(outcome)?.operations;

function documentIn(outcome: Outcome): SentDocument | null {
  if ('member' in outcome) return outcome.member.document;
  return 'file' in outcome ? outcome.file : null;
}
