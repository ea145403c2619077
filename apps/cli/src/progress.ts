import cliProgress from 'cli-progress';
import { shownLine, type Terminal } from './terminal.ts';

export interface Progress {
  advanceTo(done: number, detail?: string): void;
  /** Takes the bar out of the way of lines that are printed; the next step draws it again. */
  hide(): void;
  end(): void;
}

const none: Progress = { advanceTo: () => undefined, hide: () => undefined, end: () => undefined };

/** A progress bar on standard error, in a terminal: a script that reads JSON, and a log, have no use for one. */
export const createProgress = ({ io, json }: Terminal, what: string, total: number): Progress => {
  if (json || io.stderr.isTTY !== true) return none;
  const bar = new cliProgress.SingleBar(
    {
      stream: io.stderr,
      format: `${what} {bar} {value}/{total}{eta_formatted} {detail}`,
      formatTime: timeLeft,
      barsize: 30,
      hideCursor: true,
      linewrap: false,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { detail: '' });
  return {
    advanceTo: (done, detail = '') => bar.update(done, { detail: shownLine(detail) }),
    hide: () => void io.stderr.write('\r\u001b[K'),
    end: () => bar.stop(),
  };
};

/** Nothing until a first step is done: the library then says `INF` or `NULL`. */
const timeLeft = (seconds: unknown): string => {
  if (typeof seconds !== 'number' || seconds <= 0) return '';
  return seconds > 90 ? `, ${Math.ceil(seconds / 60)} min left` : `, ${seconds} s left`;
};
