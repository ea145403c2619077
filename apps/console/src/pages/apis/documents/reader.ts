import type { ReadResult, ReadRequest } from './document-worker.ts';
import type { FileRead } from './read-document.ts';

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (read: FileRead) => void>();

/** Returns the worker, which is started for the first file and keeps running. */
const startedWorker = (): Worker => {
  if (worker) return worker;
  worker = new Worker(new URL('./document-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { number, read } }: MessageEvent<ReadResult>) => {
    waiting.get(number)?.(read);
    waiting.delete(number);
  };
  // All pending files fail; the next file starts a new worker.
  worker.onerror = () => {
    worker = null;
    for (const answer of waiting.values()) answer({ kind: 'broken', because: 'unreadable', detail: '', place: null });
    waiting.clear();
  };
  return worker;
};

/** Reads a file in the worker. Never rejects. */
export const readFile = (file: File): Promise<FileRead> =>
  new Promise((resolve) => {
    const number = ++last;
    waiting.set(number, resolve);
    startedWorker().postMessage({ number, file } satisfies ReadRequest);
  });

/** Returns the body that publishes a document, with the document's text unchanged. */
export const bodyWith = (fields: Readonly<Record<string, unknown>>, json: Blob): Blob => {
  const before = JSON.stringify(fields).slice(0, -1);
  return new Blob([before, before === '{' ? '' : ',', '"openapi_spec":', json, '}']);
};
