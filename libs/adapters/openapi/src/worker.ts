import { createHash } from 'node:crypto';
import { MessagePort, parentPort, type Transferable } from 'node:worker_threads';
import {
  compareDocuments,
  DocumentFileError,
  errorDetails,
  isPorticoError,
  originsOf,
  readOperations,
  readSecuritySchemes,
  type Json,
  type PackedText,
  type ReadDocument,
  type SecurityScheme,
} from '@portico/domain';
import { firstNameAt } from './first-name.ts';
import type { ReadTask, ReadResult, SentDocument, StoredText } from './messages.ts';
import { releaseMemory, largeBytes } from './release-memory.ts';
import { convertToJson, readFile } from './read-file.ts';
import { readMember } from './read-member.ts';
import { operationKeyOf } from './operations.ts';
import { TextPacker, unpackText } from './packed-text.ts';
import { sendList } from './list-transfer.ts';
import { parseJson } from './read-json.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import { writeYaml } from './write-yaml.ts';

lowerThreadPriority();

/** This thread reads documents, one at a time. */
parentPort?.on('message', (task: ReadTask) => {
  const result = run(task);
  const isLarge = task.bytes.byteLength >= largeBytes || (packedTextIn(result)?.bytes ?? 0) >= largeBytes;
  parentPort?.postMessage(result, transferOf(result));
  if (isLarge) releaseMemory();
});

function run(task: ReadTask): ReadResult {
  try {
    switch (task.kind) {
      case 'member': {
        const { fields, document } = readMember(task.bytes, task.name, task.extraVersions);
        return { member: { fields, document: document && toSentDocument(document) } };
      }
      case 'operations':
        return { operations: sendList(readOperations(parseStored(task), operationKeyOf)) };
      case 'security schemes':
        return { securitySchemes: securitySchemesOf(toPackedText(task)) };
      case 'origins':
        return { origins: originsOf(parseStored(task), task.settings) };
      case 'comparison': {
        const [before, after] = [parseStored(task), parseStored(task.after)];
        return { comparison: compareDocuments(before, after, { keyOf: operationKeyOf, digestOf: sha256Of }) };
      }
      case 'yaml text':
        return { text: convertToYaml(toPackedText(task)) };
      case 'json text':
        return { json: convertToJson(task.bytes) };
      case 'stored document':
        return { file: toSentDocument(readFile(unpackText(toPackedText(task)))) };
      case 'file':
        return { file: toSentDocument(readFile(task.bytes)) };
    }
  } catch (error) {
    if (isPorticoError(error, 'invalid_body')) {
      const reason = error.message.slice(`${errorDetails.invalid_body}: `.length);
      return error instanceof DocumentFileError
        ? { fileRejection: reason, isParsed: error.isParsed, isDocument: error.isDocument }
        : { rejection: reason };
    }
    return { failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const parseStored = (text: StoredText): Json => parseJson(unpackText(toPackedText(text)));

const toPackedText = ({ bytes, text }: StoredText): PackedText => ({ deflated: bytes, ...text });

function securitySchemesOf(document: PackedText): readonly SecurityScheme[] {
  const text = unpackText(document);
  return readSecuritySchemes(parseJson(text), (path) => firstNameAt(text, path));
}

function convertToYaml(json: PackedText): PackedText {
  const packer = new TextPacker();
  writeYaml(unpackText(json).toString(), (piece) => packer.add(piece));
  return packer.finish();
}

const toSentDocument = (document: ReadDocument): SentDocument => ({
  ...document,
  operations: sendList(document.operations),
});

/** Returns the parts of a result that are transferred, not copied. */
function transferOf(result: ReadResult): Transferable[] {
  const packedOriginal = documentIn(result)?.original?.packed;
  const parts = [packedTextIn(result)?.deflated.buffer, packedOriginal?.deflated.buffer, operationsIn(result)];
  return parts.filter((part) => part instanceof ArrayBuffer || part instanceof MessagePort);
}

function packedTextIn(result: ReadResult): PackedText | undefined {
  return 'text' in result ? result.text : documentIn(result)?.packed;
}

const operationsIn = (result: ReadResult): SentDocument['operations'] | undefined =>
  'operations' in result ? result.operations : documentIn(result)?.operations;

function documentIn(result: ReadResult): SentDocument | null {
  if ('member' in result) return result.member.document;
  return 'file' in result ? result.file : null;
}
