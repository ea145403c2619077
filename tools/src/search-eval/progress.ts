/** Reports long work on standard error, where it does not mix with the results. */
export interface Progress {
  /** Starts a task with `total` steps and ends the previous task. */
  readonly begin: (title: string, total: number) => void;
  readonly advance: (steps?: number) => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
}

const intervalMs = 5_000;

/** Creates a progress report that redraws one line in a terminal and otherwise prints a line every few seconds. */
export const createProgress = (
  stream: NodeJS.WriteStream = process.stderr,
  now = () => performance.now(),
): Progress => {
  let [title, done, total, shownAt] = ['', 0, 0, 0];
  const show = (): void => {
    shownAt = now();
    const line = `${title}: ${done} of ${total}`;
    stream.write(stream.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  };
  const end = (): void => {
    if (title === '') return;
    show();
    if (stream.isTTY) stream.write('\n');
    title = '';
  };
  return {
    begin: (nextTitle, steps) => {
      end();
      [title, done, total, shownAt] = [nextTitle, 0, steps, now()];
    },
    advance: (steps = 1) => {
      done += steps;
      if (now() - shownAt >= (stream.isTTY ? 200 : intervalMs)) show();
    },
    note: (text) => {
      end();
      stream.write(`${text}\n`);
    },
    end,
  };
};
