import cliProgress from 'cli-progress';
import { toSafeLine, type Terminal } from './terminal.ts';

export interface Progress {
  advanceTo(done: number, detail?: string): void;
  /** Hides the bar while lines are printed; the next step redraws it. */
  hide(): void;
  end(): void;
}

const noProgress: Progress = { advanceTo: () => undefined, hide: () => undefined, end: () => undefined };

/**
 * Creates a progress bar on standard error. It is shown only in a terminal, and not with JSON output, which is for
 * scripts.
 */
export const createProgress = ({ io, json }: Terminal, label: string, total: number): Progress => {
  if (json || io.stderr.isTTY !== true) return noProgress;
  const bar = new cliProgress.SingleBar(
    {
      stream: io.stderr,
      format: `${label} {bar} {value}/{total}{eta_formatted} {detail}`,
      formatTime: formatTimeLeft,
      barsize: 30,
      hideCursor: true,
      linewrap: false,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { detail: '' });
  return {
    advanceTo: (done, detail = '') => bar.update(done, { detail: toSafeLine(detail) }),
    hide: () => void io.stderr.write('\r\u001b[K'),
    end: () => bar.stop(),
  };
};

/**
 * Returns the text for the remaining time. It is empty until the first step is done, because the library would print
 * `INF` or `NULL`.
 */
const formatTimeLeft = (seconds: unknown): string => {
  if (typeof seconds !== 'number' || seconds <= 0) return '';
  return seconds > 90 ? `, ${Math.ceil(seconds / 60)} min left` : `, ${seconds} s left`;
};
