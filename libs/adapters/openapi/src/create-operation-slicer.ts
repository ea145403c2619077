import {
  PorticoError,
  withDeadline,
  type Deadline,
  type OperationSlicer,
  type SliceRequest,
  type StoredDocument,
} from '@portico/domain';
import type { SliceTask, SliceResult } from './slice-messages.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { ThreadQueue } from './thread-queue.ts';
import { WorkerThread } from './worker-thread.ts';

export interface OperationSlicerOptions {
  /** Heap of the thread; 768 by default. */
  readonly memoryMegabytes?: number;
  /** Timeout for parsing one document, starting when the thread begins; 30,000 by default. */
  readonly timeLimitMs?: number;
  /**
   * The same for one slice, during which all other requests wait: 4,000 by default, less than half of a request's
   * timeout. The largest slices of real documents take a third of a second.
   */
  readonly sliceLimitMs?: number;
  /** Maximum number of slices and documents that wait for the thread; 500 by default. */
  readonly waitingMax?: number;
  /** Maximum total packed bytes of waiting documents; 96 MiB by default. */
  readonly waitingBytesMax?: number;
  /** Maximum memory for all cached documents, by an upper estimate; 128 MiB by default. */
  readonly cachedBytesMax?: number;
}

export interface ClosableOperationSlicer extends OperationSlicer {
  /** Terminates the thread. Rejects running, waiting and later requests with `internal`. */
  close(): Promise<void>;
}

/**
 * Slices operations out of documents in a worker thread of bounded memory. The thread starts with the first request and
 * is reused. Uploads have a thread of their own, so neither waits for the other. The thread caches the most recently
 * requested documents, at least one. If it dies, the next request gets a new thread and loads its document again.
 */
export function createOperationSlicer(options: OperationSlicerOptions = {}): ClosableOperationSlicer {
  const { memoryMegabytes = 768, timeLimitMs = 30_000, cachedBytesMax = 128 * 1_048_576 } = options;
  const { sliceLimitMs = 4_000, waitingMax = 500, waitingBytesMax = 96 * 1_048_576 } = options;
  const thread = new WorkerThread<SliceTask, SliceResult>({
    module: 'slicing-worker',
    name: 'operation slicer',
    data: { cachedBytesMax },
    memoryMegabytes,
    timeLimitMs: ({ kind }) => (kind === 'slice' ? sliceLimitMs : timeLimitMs),
    tooSlow: (limitMs) => failure(`a slice or a document took over ${limitMs / 1000} s`),
    tooLarge: (cause) => failure('a slice took more memory than it may', cause),
  });
  const queue = new ThreadQueue([thread], {
    itemsName: 'slices and documents',
    ownerName: 'operation slicer',
    waitingMax,
    waitingBytesMax,
    bytesOf: (task) => (task.kind === 'load' ? task.text.deflated.byteLength : 0),
    // The thread would lose the documents that other requests need, and a slice is short.
    expiryEndsThread: false,
    transferOf: () => [],
  });
  const loads = new Map<string, { readonly promise: Promise<void>; readonly sharedDeadline: SharedDeadline }>();

  /**
   * Loads a document into the thread, once for all waiting requests. Leaves the queue when none of them waits any more.
   */
  const load = (document: StoredDocument, deadline: Deadline | null): Promise<void> => {
    const { digest } = document;
    const pending = loads.get(digest);
    pending?.sharedDeadline.join(deadline);
    if (pending) return pending.promise;
    const sharedDeadline = new SharedDeadline(deadline);
    const promise = (async () => {
      const result = await queue.run({ kind: 'load', digest, text: await document.load() }, sharedDeadline);
      if ('failed' in result) throw new PorticoError('internal', { cause: result.failed });
    })();
    const entry = { promise, sharedDeadline };
    loads.set(digest, entry);
    const done = () => {
      if (loads.get(digest) === entry) loads.delete(digest);
    };
    sharedDeadline.onExpired(done);
    promise.then(done, done);
    return promise;
  };

  const slice = async (
    document: StoredDocument,
    request: SliceRequest,
    deadline: Deadline | null,
  ): Promise<Uint8Array> => {
    // Other requests may evict the document before it is used; then it is loaded again.
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const result = await queue.run({ kind: 'slice', digest: document.digest, request }, deadline);
      if ('slice' in result) return result.slice;
      if ('absent' in result) throw new PorticoError('operation_not_found');
      if ('failed' in result) throw new PorticoError('internal', { cause: result.failed });
      await withDeadline(deadline, () => load(document, deadline));
    }
    throw failure('other documents take up the whole document cache');
  };

  return {
    slice,
    close: () => queue.close(),
  };
}

const attemptsMax = 5;

const failure = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('internal', { cause: new Error(because, { cause }) });
