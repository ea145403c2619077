import { readDocument, type FileRead } from './read-document.ts';

/** A file to read, and the number that identifies its result. */
export interface ReadRequest {
  readonly number: number;
  readonly file: File;
}
export interface ReadResult {
  readonly number: number;
  readonly result: FileRead;
}

/** Files are read one after another, so that the results are in the order of the files. */
let queue: Promise<unknown> = Promise.resolve();

// Parsing a large document takes a second. In a worker, it does not block the page.
self.onmessage = ({ data: { number, file } }: MessageEvent<ReadRequest>) => {
  queue = queue.then(async () => self.postMessage({ number, result: await readDocument(file) } satisfies ReadResult));
};
