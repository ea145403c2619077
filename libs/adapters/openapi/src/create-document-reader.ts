import { createYielder } from '@portico/dependencies';
import {
  DocumentFileError,
  PorticoError,
  type Deadline,
  type DocumentReader,
  type PackedText,
  type ReadDocument,
} from '@portico/domain';
import type { ReadTask, ReadResult, SentDocument, StoredText } from './messages.ts';
import { receiveList } from './list-transfer.ts';
import { ThreadQueue } from './thread-queue.ts';
import { WorkerThread } from './worker-thread.ts';

export interface DocumentReaderOptions {
  /** The number of documents that are read concurrently; 1 by default. */
  readonly threads?: number;
  /**
   * The heap size of each thread; 768 by default. A text that needs more is rejected, either up front or after the
   * thread has died.
   */
  readonly memoryMegabytes?: number;
  /** The timeout for one document, which starts when a thread receives it; 30,000 by default. */
  readonly timeLimitMs?: number;
  /** Maximum number of texts waiting for a thread; 100 by default. */
  readonly waitingMax?: number;
  /**
   * Maximum total size of the waiting texts, in bytes; 96 MiB by default, about as much as a thread can read within a
   * request's timeout.
   */
  readonly waitingBytesMax?: number;
}

export interface ClosableDocumentReader extends DocumentReader {
  /** Terminates the threads. Rejects running, waiting and later reads with `internal`. */
  close(): Promise<void>;
}

/**
 * Creates a reader that reads documents in worker threads with limited memory. The threads start with the first
 * document and are reused, except that a thread exits after a large document, because it would retain several hundred
 * megabytes of unused memory. Waiting documents are read in order of arrival. Beyond the limits, new documents are
 * rejected immediately with `internal`. Waiting documents whose deadline expires are removed from the queue. A document
 * that exceeds a thread's memory or time limit is rejected with `invalid_body`; if a thread dies for any other reason,
 * the error is `internal`. In both cases, or if a document's deadline expires while it is being read, the next document
 * gets a new thread.
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): ClosableDocumentReader {
  const { threads = 1, memoryMegabytes = 768, timeLimitMs = 30_000 } = options;
  const { waitingMax = 100, waitingBytesMax = 96 * 1_048_576 } = options;
  const createThread = () =>
    new WorkerThread<ReadTask, ReadResult>({
      module: 'worker',
      name: 'document reader',
      memoryMegabytes,
      timeLimitMsOf: ({ kind }) => (kind === 'comparison' ? Math.min(timeLimitMs, comparisonLimitMs) : timeLimitMs),
      isLarge: (task) => textBytesOf(task) >= largeTextBytes,
      createTimeoutError: (limitMs) =>
        createInvalidBodyError(`too large to be checked: it took more than ${limitMs / 1000} s`),
      createMemoryError: (cause) =>
        createInvalidBodyError('too large to be checked: it needs more memory than is available', cause),
    });
  const queue = new ThreadQueue(Array.from({ length: threads }, createThread), {
    itemsName: 'documents',
    ownerName: 'document reader',
    waitingMax,
    waitingBytesMax,
    bytesOf: ({ bytes }) => bytes.length,
    terminatesOnExpiry: true,
    transferOf: ({ bytes }) => [bytes.buffer],
  });
  const read = (task: ReadTask, deadline: Deadline | null): Promise<ReadResult> => queue.run(task, deadline);

  return {
    async readMember(object, name, deadline, extraVersions = []) {
      const result = await read({ kind: 'member', name, extraVersions, bytes: takeBytes(object) }, deadline);
      if (!('member' in result)) throw errorOf(result);
      const { fields, document } = result.member;
      return { fields, document: document && (await receiveDocument(document)) };
    },
    async readFile(content) {
      const result = await read({ kind: 'file', bytes: Uint8Array.from(content) }, null);
      if ('file' in result) return receiveDocument(result.file);
      throw errorOf(result);
    },
    async convertToJson(content) {
      const result = await read({ kind: 'json text', bytes: Uint8Array.from(content) }, null);
      if ('json' in result) return result.json;
      throw errorOf(result);
    },
    ...createStoredReads(read),
    close: () => queue.close(),
  };
}

type Read = (task: ReadTask, deadline: Deadline | null) => Promise<ReadResult>;

/** Creates the reads of documents that are already stored. */
const createStoredReads = (read: Read): Omit<DocumentReader, 'readMember' | 'readFile' | 'convertToJson'> => ({
  async readStored(document, deadline) {
    const result = await read({ kind: 'stored document', ...toStoredText(document) }, deadline);
    if ('file' in result) return receiveDocument(result.file);
    throw errorOf(result);
  },
  async readOperations(document) {
    const result = await read({ kind: 'operations', ...toStoredText(document) }, null);
    if ('operations' in result) return receiveList(result.operations, createYielder());
    throw errorOf(result);
  },
  async readSecuritySchemes(document, deadline) {
    const result = await read({ kind: 'security schemes', ...toStoredText(document) }, deadline);
    if ('securitySchemes' in result) return result.securitySchemes;
    throw errorOf(result);
  },
  async readOrigins(document, { baseUrl, serverVariables }, deadline) {
    const settings = { baseUrl, serverVariables };
    const result = await read({ kind: 'origins', settings, ...toStoredText(document) }, deadline);
    if ('origins' in result) return result.origins;
    throw errorOf(result);
  },
  async convertToYaml(document, deadline) {
    const result = await read({ kind: 'yaml text', ...toStoredText(document) }, deadline);
    if ('text' in result) return result.text;
    throw errorOf(result);
  },
  async compare(before, after, deadline) {
    const result = await read({ kind: 'comparison', after: toStoredText(after), ...toStoredText(before) }, deadline);
    if ('comparison' in result) return result.comparison;
    throw errorOf(result);
  },
});

/**
 * The timeout for a comparison, which a document waits for before it is stored: far less than that of a request, so that
 * the document is stored in time, even if its changes remain unknown.
 */
const comparisonLimitMs = 5_000;

/** The size of a large text, in bytes. Reading it takes ten times as long as starting a new thread. */
const largeTextBytes = 8_388_608;

const textBytesOf = (task: ReadTask): number =>
  task.kind === 'comparison'
    ? task.text.bytes + task.after.text.bytes
    : 'text' in task
      ? task.text.bytes
      : task.bytes.byteLength;

const createInvalidBodyError = (reason: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_body', { reason, cause });

const receiveDocument = async (document: SentDocument): Promise<ReadDocument> => ({
  ...document,
  operations: await receiveList(document.operations, createYielder()),
});

/** Copies the bytes, so that the caller's buffer is not transferred. */
const toStoredText = ({ deflated, ...text }: PackedText): StoredText => ({ bytes: Uint8Array.from(deflated), text });

/** Returns bytes that nothing else refers to: the caller's buffer, or a copy if the buffer also contains other data. */
function takeBytes(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  // A small Buffer is a view of Node's shared pool, which must not be detached.
  const isWholeBuffer = buffer instanceof ArrayBuffer && body.byteLength === buffer.byteLength;
  return isWholeBuffer ? new Uint8Array(buffer.transfer()) : Uint8Array.from(body);
}

function errorOf(result: ReadResult): PorticoError {
  if ('fileRejection' in result) return new DocumentFileError(result.fileRejection, result);
  if ('rejection' in result) return new PorticoError('invalid_body', { reason: result.rejection });
  return new PorticoError('internal', { cause: 'failed' in result ? result.failed : result });
}
