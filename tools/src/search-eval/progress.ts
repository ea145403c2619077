/** Reports long work on standard error, where it does not mix with the results. */
export interface Progress {
  /** Starts a piece of work of that many steps; ends the one before. */
  readonly begin: (what: string, total: number) => void;
  readonly advance: (by?: number) => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
}

const intervalMs = 5_000;

/** A line that is redrawn in a terminal; elsewhere a line every few seconds. */
export const createProgress = (
  stream: NodeJS.WriteStream = process.stderr,
  now = () => performance.now(),
): Progress => {
  let [what, done, total, shownAt] = ['', 0, 0, 0];
  const show = (): void => {
    shownAt = now();
    const line = `${what}: ${done} of ${total}`;
    stream.write(stream.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  };
  const end = (): void => {
    if (what === '') return;
    show();
    if (stream.isTTY) stream.write('\n');
    what = '';
  };
  return {
    begin: (next, steps) => {
      end();
      [what, done, total, shownAt] = [next, 0, steps, now()];
    },
    advance: (by = 1) => {
      done += by;
      if (now() - shownAt >= (stream.isTTY ? 200 : intervalMs)) show();
    },
    note: (text) => {
      end();
      stream.write(`${text}\n`);
    },
    end,
  };
};
