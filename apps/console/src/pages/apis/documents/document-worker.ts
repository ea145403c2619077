import { readDocument, type FileRead } from './read-document.ts';

/** A file to read, and the number of its result. */
export interface ReadRequest {
  readonly number: number;
  readonly file: File;
}
export interface ReadResult {
  readonly number: number;
  readonly read: FileRead;
}

/** Reads one file after another, so that results are in the order of the files. */
let queue: Promise<unknown> = Promise.resolve();

// A large document takes a second to parse: a worker does not block the page meanwhile.
self.onmessage = ({ data: { number, file } }: MessageEvent<ReadRequest>) => {
  queue = queue.then(async () => self.postMessage({ number, read: await readDocument(file) } satisfies ReadResult));
};
