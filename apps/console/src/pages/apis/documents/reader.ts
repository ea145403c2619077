import type { ReadResult, ReadRequest } from './document-worker.ts';
import type { FileRead } from './read-document.ts';

let worker: Worker | null = null;
let lastNumber = 0;
const pendingReads = new Map<number, (read: FileRead) => void>();

/** Returns the worker, which is started for the first file and keeps running. */
const getWorker = (): Worker => {
  if (worker) return worker;
  worker = new Worker(new URL('./document-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { number, result } }: MessageEvent<ReadResult>) => {
    pendingReads.get(number)?.(result);
    pendingReads.delete(number);
  };
  // All pending files fail; the next file starts a new worker.
  worker.onerror = () => {
    worker = null;
    for (const resolve of pendingReads.values())
      resolve({ kind: 'broken', reason: 'unreadable', detail: '', position: null });
    pendingReads.clear();
  };
  return worker;
};

/** Reads a file in the worker. Never rejects. */
export const readFile = (file: File): Promise<FileRead> =>
  new Promise((resolve) => {
    const number = ++lastNumber;
    pendingReads.set(number, resolve);
    getWorker().postMessage({ number, file } satisfies ReadRequest);
  });

/** Returns the body that publishes a document, with the document's text unchanged. */
export const createBody = (fields: Readonly<Record<string, unknown>>, json: Blob): Blob => {
  const prefix = JSON.stringify(fields).slice(0, -1);
  return new Blob([prefix, prefix === '{' ? '' : ',', '"openapi_spec":', json, '}']);
};
