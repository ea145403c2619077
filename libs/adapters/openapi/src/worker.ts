import { parentPort } from 'node:worker_threads';
import { errorDetails, isPorticoError, readOperations, type PackedText } from '@portico/domain';
import type { Order, Outcome, StoredText } from './messages.ts';
import { giveMemoryBack, largeBytes } from './give-memory-back.ts';
import { readFile } from './read-file.ts';
import { readMember } from './read-member.ts';
import { operationKeyOf } from './operations.ts';
import { TextPacker, unpacked } from './packed-text.ts';
import { parsed } from './read-json.ts';
import { giveWay } from './thread-priority.ts';
import { yamlOfJson } from './yaml-of-json.ts';

giveWay();

/** The thread that reads documents, one at a time. */
parentPort?.on('message', (order: Order) => {
  const outcome = outcomeOf(order);
  const isLarge = order.bytes.byteLength >= largeBytes || (packedTextIn(outcome)?.bytes ?? 0) >= largeBytes;
  parentPort?.postMessage(outcome, packedBuffers(outcome));
  if (isLarge) giveMemoryBack();
});

function outcomeOf(order: Order): Outcome {
  try {
    switch (order.what) {
      case 'member':
        return { member: readMember(order.bytes, order.name) };
      case 'operations':
        return { operations: readOperations(parsed(unpacked(packedIn(order))), operationKeyOf) };
      case 'yaml text':
        return { text: yamlText(packedIn(order)) };
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

const packedIn = ({ bytes, text }: StoredText): PackedText => ({ deflated: bytes, ...text });

function yamlText(json: PackedText): PackedText {
  const packer = new TextPacker();
  yamlOfJson(unpacked(json).toString(), (piece) => packer.add(piece));
  return packer.finish();
}

/** The buffers that are transferred with an outcome, not copied. */
function packedBuffers(outcome: Outcome): ArrayBuffer[] {
  const buffer = packedTextIn(outcome)?.deflated.buffer;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

function packedTextIn(outcome: Outcome): PackedText | undefined {
  if ('member' in outcome) return outcome.member.document?.packed;
  if ('file' in outcome) return outcome.file.packed;
  return 'text' in outcome ? outcome.text : undefined;
}
