import {
  PorticoError,
  untilExpired,
  type Deadline,
  type OperationSlicer,
  type SliceRequest,
  type StoredDocument,
} from '@portico/domain';
import type { SliceOrder, SliceOutcome } from './slice-messages.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { ThreadQueue } from './thread-queue.ts';
import { WorkerThread } from './worker-thread.ts';

export interface OperationSlicerOptions {
  /** Heap of the thread; 768 by default. */
  readonly memoryMegabytes?: number;
  /** Timeout for parsing one document, from when the thread begins; 30,000 by default. */
  readonly timeLimitMs?: number;
  /**
   * The same for one slice, for which everyone else waits: 4,000 by default, less than half of what an answer may take.
   * The largest slices of real documents take a third of a second.
   */
  readonly sliceLimitMs?: number;
  /** Most slices and documents that may wait for the thread; 500 by default. */
  readonly waitingMax?: number;
  /** Most packed bytes of waiting documents together; 96 MiB by default. */
  readonly waitingBytesMax?: number;
  /** Memory that the documents which are kept may take together, by an upper estimate; 128 MiB by default. */
  readonly keptBytesMax?: number;
}

export interface ClosableOperationSlicer extends OperationSlicer {
  /** Ends the thread. Rejects running, waiting and later requests with `internal`. */
  close(): Promise<void>;
}

/**
 * Cuts operations out of documents in a worker thread of bounded memory, which is started with the first request, kept,
 * and another one than that of uploads, so that neither waits for the other. It keeps the documents that were asked for
 * last, at least one. If it dies, the next request gets a new thread, and loads its document again.
 */
export function createOperationSlicer(options: OperationSlicerOptions = {}): ClosableOperationSlicer {
  const { memoryMegabytes = 768, timeLimitMs = 30_000, keptBytesMax = 128 * 1_048_576 } = options;
  const { sliceLimitMs = 4_000, waitingMax = 500, waitingBytesMax = 96 * 1_048_576 } = options;
  const thread = new WorkerThread<SliceOrder, SliceOutcome>({
    module: 'slicing-worker',
    name: 'operation slicer',
    data: { keptBytesMax },
    memoryMegabytes,
    timeLimitMs: ({ what }) => (what === 'slice' ? sliceLimitMs : timeLimitMs),
    tooSlow: (limitMs) => failure(`a slice or a document took over ${limitMs / 1000} s`),
    tooLarge: (cause) => failure('a slice took more memory than it may', cause),
  });
  const queue = new ThreadQueue([thread], {
    what: 'slices and documents',
    whom: 'operation slicer',
    waitingMax,
    waitingBytesMax,
    bytesOf: (order) => (order.what === 'keep' ? order.text.deflated.byteLength : 0),
    // It would forget the documents that others ask for, and a slice is short.
    expiryEndsThread: false,
    transferred: () => [],
  });
  const loads = new Map<string, { readonly loaded: Promise<void>; readonly wanted: SharedDeadline }>();

  /** Loads a document into the thread, once for all that wait for it; leaves the queue once nobody does. */
  const load = (document: StoredDocument, deadline: Deadline | null): Promise<void> => {
    const { digest } = document;
    const begun = loads.get(digest);
    begun?.wanted.join(deadline);
    if (begun) return begun.loaded;
    const wanted = new SharedDeadline(deadline);
    const loaded = (async () => {
      const outcome = await queue.run({ what: 'keep', digest, text: await document.load() }, wanted);
      if ('failed' in outcome) throw new PorticoError('internal', { cause: outcome.failed });
    })();
    const own = { loaded, wanted };
    loads.set(digest, own);
    const done = () => {
      if (loads.get(digest) === own) loads.delete(digest);
    };
    wanted.onExpired(done);
    loaded.then(done, done);
    return loaded;
  };

  const slice = async (
    document: StoredDocument,
    request: SliceRequest,
    deadline: Deadline | null,
  ): Promise<Uint8Array> => {
    // Others may push a document out before it is used; then it is loaded again.
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const outcome = await queue.run({ what: 'slice', digest: document.digest, request }, deadline);
      if ('slice' in outcome) return outcome.slice;
      if ('absent' in outcome) throw new PorticoError('operation_not_found');
      if ('failed' in outcome) throw new PorticoError('internal', { cause: outcome.failed });
      await untilExpired(deadline, () => load(document, deadline));
    }
    throw failure('other documents take all the room that there is for documents');
  };

  return {
    slice,
    close: () => queue.close(),
  };
}

const attemptsMax = 5;

const failure = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('internal', { cause: new Error(because, { cause }) });
