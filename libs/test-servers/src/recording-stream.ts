import { Writable } from 'node:stream';

/** Returns a stream that records its chunks. A logger writes each line as one chunk. */
export const recordingStream = (): { readonly stream: Writable; readonly written: readonly string[] } => {
  const written: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  return { stream, written };
};
