import {
  PorticoError,
  runWithDeadline,
  type Deadline,
  type OperationSlicer,
  type StoredDocument,
} from '@portico/domain';
import type { SliceTask, SliceResult } from './slice-messages.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { ThreadQueue } from './thread-queue.ts';
import { WorkerThread } from './worker-thread.ts';

export interface OperationSlicerOptions {
  /** The heap size of the thread; 768 by default. */
  readonly memoryMegabytes?: number;
  /** The timeout for parsing one document, which starts when the thread receives it; 30,000 by default. */
  readonly timeLimitMs?: number;
  /**
   * The timeout for one slice. All other requests wait meanwhile, so the default of 4,000 is less than half of a
   * request's timeout. The largest slices of real documents take a third of a second.
   */
  readonly sliceLimitMs?: number;
  /** Maximum number of slices and documents waiting for the thread; 500 by default. */
  readonly waitingMax?: number;
  /** Maximum total packed size of the waiting documents; 96 MiB by default. */
  readonly waitingBytesMax?: number;
  /** Maximum memory for all cached documents, based on an upper estimate; 128 MiB by default. */
  readonly cachedBytesMax?: number;
}

export interface ClosableOperationSlicer extends OperationSlicer {
  /** Terminates the thread. Rejects running, waiting and later requests with `internal`. */
  close(): Promise<void>;
}

/**
 * Creates a slicer that slices operations out of documents in a worker thread with limited memory. The thread starts
 * with the first request and is reused. Uploads use a separate thread, so slices and uploads do not wait for each
 * other. The thread caches the most recently requested documents, at least one. If the thread dies, the next request
 * gets a new one and loads its document again.
 */
export function createOperationSlicer(options: OperationSlicerOptions = {}): ClosableOperationSlicer {
  const { memoryMegabytes = 768, timeLimitMs = 30_000, cachedBytesMax = 128 * 1_048_576 } = options;
  const { sliceLimitMs = 4_000, waitingMax = 500, waitingBytesMax = 96 * 1_048_576 } = options;
  const thread = new WorkerThread<SliceTask, SliceResult>({
    module: 'slicing-worker',
    name: 'operation slicer',
    data: { cachedBytesMax },
    memoryMegabytes,
    timeLimitMsOf: ({ kind }) => (kind === 'load' ? timeLimitMs : sliceLimitMs),
    createTimeoutError: (limitMs) => createFailure(`a slice or a document took more than ${limitMs / 1000} s`),
    createMemoryError: (cause) => createFailure('a slice needs more memory than is available', cause),
  });
  const queue = new ThreadQueue([thread], {
    itemsName: 'slices and documents',
    ownerName: 'operation slicer',
    waitingMax,
    waitingBytesMax,
    bytesOf: (task) => (task.kind === 'load' ? task.text.deflated.byteLength : 0),
    // If the thread exited, it would lose the documents that other requests need, and a slice does not take long.
    terminatesOnExpiry: false,
    transferOf: () => [],
  });
  const load = createLoads(queue);

  /** Runs a task on a document, which is loaded first if it is not in the cache. */
  const run = async (
    document: StoredDocument,
    task: Exclude<SliceTask, { kind: 'load' }>,
    deadline: Deadline | null,
  ): Promise<SliceResult> => {
    // Other requests may evict the document before it is used; in that case, it is loaded again.
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const result = await queue.run(task, deadline);
      if ('slice' in result || 'preparation' in result) return result;
      if ('absent' in result) throw new PorticoError('operation_not_found');
      if ('failed' in result) throw new PorticoError('internal', { cause: result.failed });
      await runWithDeadline(deadline, () => load(document, deadline));
    }
    throw createFailure('other documents fill the whole document cache');
  };

  return {
    async slice(document, request, deadline) {
      const result = await run(document, { kind: 'slice', digest: document.digest, request }, deadline);
      if ('slice' in result) return result.slice;
      throw createFailure('a slice is missing from the result');
    },
    async prepare(document, request, deadline) {
      const result = await run(document, { kind: 'prepare', digest: document.digest, request }, deadline);
      if ('preparation' in result) return result.preparation;
      throw createFailure('a prepared request is missing from the result');
    },
    close: () => queue.close(),
  };
}

const attemptsMax = 5;

/**
 * Returns a function that loads a document into the thread, once for all waiting requests. The load is removed from the
 * queue when no request is waiting for it any longer.
 */
const createLoads = (queue: Pick<ThreadQueue<SliceTask, SliceResult>, 'run'>) => {
  const loads = new Map<string, { readonly promise: Promise<void>; readonly sharedDeadline: SharedDeadline }>();
  return (document: StoredDocument, deadline: Deadline | null): Promise<void> => {
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
    const removeLoad = () => {
      if (loads.get(digest) === entry) loads.delete(digest);
    };
    sharedDeadline.onExpired(removeLoad);
    promise.then(removeLoad, removeLoad);
    return promise;
  };
};

const createFailure = (reason: string, cause?: unknown): PorticoError =>
  new PorticoError('internal', { cause: new Error(reason, { cause }) });
