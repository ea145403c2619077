import { createYielder } from '@portico/dependencies';
import { PorticoError, type Deadline, type DocumentReader, type PackedText, type ReadDocument } from '@portico/domain';
import type { Order, Outcome, SentDocument, StoredText } from './messages.ts';
import { received } from './portions.ts';
import { ThreadQueue } from './thread-queue.ts';
import { WorkerThread } from './worker-thread.ts';

export interface DocumentReaderOptions {
  /** How many documents are read at the same time; 1 by default. */
  readonly threads?: number;
  /** Heap of each thread; 768 by default. A text that needs more is refused, beforehand or when the thread dies of it. */
  readonly memoryMegabytes?: number;
  /** Timeout for one document, from when a thread takes it; 30,000 by default. */
  readonly timeLimitMs?: number;
  /** Most texts that may wait for a thread; 100 by default. */
  readonly waitingMax?: number;
  /** Most bytes of waiting texts together; 96 MiB by default, about what a thread reads within a request's time. */
  readonly waitingBytesMax?: number;
}

export interface ClosableDocumentReader extends DocumentReader {
  /** Ends the threads. Rejects running, waiting and later reads with `internal`. */
  close(): Promise<void>;
}

/**
 * Reads documents in worker threads of bounded memory, started with the first document and kept until a large one, of
 * which a thread would keep some hundred megabytes that nobody needs. Waiting documents
 * are read in order of arrival; beyond the limits new ones are refused at once with `internal`, and expired ones leave
 * the queue. A document that exceeds a thread's memory or time is refused as `invalid_body`; a thread that dies of
 * anything else is an `internal` error. Either way, or if a document expires while being read, the next one gets a new
 * thread.
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): ClosableDocumentReader {
  const { threads = 1, memoryMegabytes = 768, timeLimitMs = 30_000 } = options;
  const { waitingMax = 100, waitingBytesMax = 96 * 1_048_576 } = options;
  const thread = () =>
    new WorkerThread<Order, Outcome>({
      module: 'worker',
      name: 'document reader',
      memoryMegabytes,
      timeLimitMs: () => timeLimitMs,
      isLarge: (order) => textBytes(order) >= endsAfterBytes,
      tooSlow: () => refused(`too large to be checked: it took over ${timeLimitMs / 1000} s`),
      tooLarge: (cause) => refused('too large to be checked: it takes more memory than a document may', cause),
    });
  const queue = new ThreadQueue(Array.from({ length: threads }, thread), {
    what: 'documents',
    whom: 'document reader',
    waitingMax,
    waitingBytesMax,
    bytesOf: ({ bytes }) => bytes.length,
    expiryEndsThread: true,
    transferred: ({ bytes }) => [bytes.buffer],
  });
  const read = (order: Order, deadline: Deadline | null): Promise<Outcome> => queue.run(order, deadline);

  return {
    async readMember(object, name, deadline) {
      const outcome = await read({ what: 'member', name, bytes: taken(object) }, deadline);
      if (!('member' in outcome)) throw errorOf(outcome);
      const { fields, document } = outcome.member;
      return { fields, document: document && (await receivedDocument(document)) };
    },
    async readFile(content, format) {
      const outcome = await read({ what: format, bytes: Uint8Array.from(content) }, null);
      if ('file' in outcome) return receivedDocument(outcome.file);
      throw errorOf(outcome);
    },
    async readOperations(document) {
      const outcome = await read({ what: 'operations', ...storedText(document) }, null);
      if ('operations' in outcome) return received(outcome.operations, createYielder());
      throw errorOf(outcome);
    },
    async yamlText(document, deadline) {
      const outcome = await read({ what: 'yaml text', ...storedText(document) }, deadline);
      if ('text' in outcome) return outcome.text;
      throw errorOf(outcome);
    },
    close: () => queue.close(),
  };
}

/** Of text. Starting a new thread takes a tenth of what reading so many bytes takes. */
const endsAfterBytes = 8_388_608;

const textBytes = (order: Order): number => ('text' in order ? order.text.bytes : order.bytes.byteLength);

const refused = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_body', { because, cause });

const receivedDocument = async (document: SentDocument): Promise<ReadDocument> => ({
  ...document,
  operations: await received(document.operations, createYielder()),
});

/** The caller keeps its bytes. */
const storedText = ({ deflated, ...text }: PackedText): StoredText => ({ bytes: Uint8Array.from(deflated), text });

/** Bytes that nothing else refers to: the caller's own buffer, or a copy if the buffer holds more than these. */
function taken(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  // A small Buffer is a view of Node's shared pool, which must stay.
  const whole = buffer instanceof ArrayBuffer && body.byteLength === buffer.byteLength;
  return whole ? new Uint8Array(buffer.transfer()) : Uint8Array.from(body);
}

function errorOf(outcome: Outcome): PorticoError {
  if ('refused' in outcome) return new PorticoError('invalid_body', { because: outcome.refused });
  return new PorticoError('internal', { cause: 'failed' in outcome ? outcome.failed : outcome });
}
