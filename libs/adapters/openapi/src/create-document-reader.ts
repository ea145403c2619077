import { PorticoError, type Deadline, type DocumentReader } from '@portico/domain';
import type { Order, Outcome } from './messages.ts';
import { ReadingThread } from './reading-thread.ts';

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

interface Job {
  readonly order: Order;
  readonly deadline: Deadline | null;
  readonly settle: (outcome: Promise<Outcome>) => void;
}

/**
 * Reads documents in worker threads of bounded memory, started with the first document and then kept. Waiting documents
 * are read in order of arrival; beyond the limits new ones are refused at once with `internal`, and expired ones leave
 * the queue. A document that exceeds a thread's memory or time is refused as `invalid_body`; a thread that dies of
 * anything else is an `internal` error. Either way, or if a document expires while being read, the next one gets a new
 * thread.
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): ClosableDocumentReader {
  const { threads = 1, memoryMegabytes = 768, timeLimitMs = 30_000 } = options;
  const { waitingMax = 100, waitingBytesMax = 96 * 1_048_576 } = options;
  const idle = Array.from({ length: threads }, () => new ReadingThread({ memoryMegabytes, timeLimitMs }));
  const all = [...idle];
  const waiting: Job[] = [];
  let closed = false;

  const next = (): void => {
    while (waiting.length > 0 && idle.length > 0) {
      const job = waiting.shift();
      const thread = idle.pop();
      if (!job || !thread) return;
      const outcome = thread.read(job.order, job.deadline);
      job.settle(outcome);
      const done = () => {
        idle.push(thread);
        next();
      };
      outcome.then(done, done);
    }
  };

  const read = (order: Order, deadline: Deadline | null): Promise<Outcome> => {
    if (closed) return Promise.reject(new PorticoError('internal', { because: 'the document reader is closed' }));
    if (deadline?.expired) return Promise.reject(new PorticoError('timed_out'));
    if (idle.length === 0 && isFull(order)) return Promise.reject(overfull(waiting));
    return new Promise((resolve) => {
      const settle: Job['settle'] = (outcome) => {
        forget?.();
        resolve(outcome);
      };
      const job = { order, deadline, settle };
      const forget = deadline?.onExpired(() => leave(job));
      waiting.push(job);
      next();
    });
  };

  /** A job that a thread has taken is the thread's responsibility. */
  const leave = (job: Job): void => {
    const at = waiting.indexOf(job);
    if (at < 0) return;
    waiting.splice(at, 1);
    job.settle(Promise.reject(new PorticoError('timed_out')));
  };

  const isFull = ({ bytes }: Order): boolean =>
    waiting.length >= waitingMax || bytesOf(waiting) + bytes.length > waitingBytesMax;

  return {
    async readMember(object, name, deadline) {
      const outcome = await read({ what: 'member', name, bytes: taken(object) }, deadline);
      if ('member' in outcome) return outcome.member;
      throw errorOf(outcome);
    },
    async readFile(content, format) {
      const outcome = await read({ what: format, bytes: Uint8Array.from(content) }, null);
      if ('file' in outcome) return outcome.file;
      throw errorOf(outcome);
    },
    async readOperations({ deflated }) {
      const outcome = await read({ what: 'operations', bytes: Uint8Array.from(deflated) }, null);
      if ('operations' in outcome) return outcome.operations;
      throw errorOf(outcome);
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) {
        job.settle(Promise.reject(new PorticoError('internal', { because: 'the document reader was closed' })));
      }
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
}

const bytesOf = (waiting: readonly Job[]): number => waiting.reduce((sum, { order }) => sum + order.bytes.length, 0);

const overfull = (waiting: readonly Job[]): PorticoError =>
  new PorticoError('internal', {
    cause: new Error(`${waiting.length} documents of ${bytesOf(waiting)} bytes wait to be read: no more are accepted`),
  });

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
