import { Writable } from 'node:stream';

/** A stream that keeps what is written to it; a logger writes each of its lines at once. */
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
