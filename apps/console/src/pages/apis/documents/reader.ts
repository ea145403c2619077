import type { Answer, Order } from './document-worker.ts';
import type { FileRead } from './read-document.ts';

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (read: FileRead) => void>();

/** Starts with the first file, and stays. */
const started = (): Worker => {
  if (worker) return worker;
  worker = new Worker(new URL('./document-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { number, read } }: MessageEvent<Answer>) => {
    waiting.get(number)?.(read);
    waiting.delete(number);
  };
  // Whatever it was reading is given up; the next file gets a new worker.
  worker.onerror = () => {
    worker = null;
    for (const answer of waiting.values()) answer({ kind: 'broken', because: 'unreadable', detail: '', place: null });
    waiting.clear();
  };
  return worker;
};

/** Reads a file beside the page. Never rejects. */
export const readFile = (file: File): Promise<FileRead> =>
  new Promise((resolve) => {
    const number = ++last;
    waiting.set(number, resolve);
    started().postMessage({ number, file } satisfies Order);
  });

/** The body that publishes a document: its text stays as it is. */
export const bodyWith = (fields: Readonly<Record<string, unknown>>, json: Blob): Blob => {
  const before = JSON.stringify(fields).slice(0, -1);
  return new Blob([before, before === '{' ? '' : ',', '"openapi_spec":', json, '}']);
};
