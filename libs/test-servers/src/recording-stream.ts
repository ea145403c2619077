import { Writable } from 'node:stream';

/** Returns a stream that records its chunks. A logger writes each line as one chunk. */
export const createRecordingStream = (): { readonly stream: Writable; readonly chunks: readonly string[] } => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream, chunks };
};
