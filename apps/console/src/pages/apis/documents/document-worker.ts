import { readDocument, type FileRead } from './read-document.ts';

/** A file to read, and the number that its answer bears. */
export interface Order {
  readonly number: number;
  readonly file: File;
}
export interface Answer {
  readonly number: number;
  readonly read: FileRead;
}

/** One after another, so that answers come in the order of the files. */
let turn: Promise<unknown> = Promise.resolve();

// A large document takes a second to parse: here the page does not stand still meanwhile.
self.onmessage = ({ data: { number, file } }: MessageEvent<Order>) => {
  turn = turn.then(async () => self.postMessage({ number, read: await readDocument(file) } satisfies Answer));
};
