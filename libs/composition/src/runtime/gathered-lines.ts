import type { DestinationStream } from 'pino';

/** Where gathered lines go, such as `pino.destination`. */
export interface LineSink extends DestinationStream {
  flush(done?: (error?: Error) => unknown): void;
}

const chunkBytes = 65_536;
const flushMs = 100;
/** A UTF-16 unit takes at most so many in UTF-8. */
const bytesOfUnitMax = 3;

/**
 * Gathers lines, for at most 100 ms, and hands them on together. They wait as bytes outside of the heap: as strings they
 * would outlive several collections of garbage, and that and a write for each of them would take a fifth of a request.
 * What waits when the process ends is handed on before the sink, made later, writes its last.
 */
export const gatherLines = (openSink: () => LineSink): LineSink => {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let used = 0;
  let timer: NodeJS.Timeout | null = null;

  const handOn = (): void => {
    if (used === 0) return;
    const lines = chunk.toString('utf8', 0, used);
    used = 0;
    sink.write(lines);
  };
  const handOnInTime = (): void => {
    timer = null;
    handOn();
  };
  // The listeners of the process are called in their order, and the sink has some.
  for (const event of ['beforeExit', 'exit']) process.on(event, handOn);
  const sink = openSink();

  return {
    write(line) {
      const bytesMax = line.length * bytesOfUnitMax;
      if (bytesMax > chunkBytes - used) handOn();
      if (bytesMax > chunkBytes) {
        sink.write(line);
        return;
      }
      used += chunk.write(line, used);
      timer ??= setTimeout(handOnInTime, flushMs).unref();
    },
    flush(done) {
      handOn();
      sink.flush(done);
    },
  };
};
