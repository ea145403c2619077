import cliProgress from 'cli-progress';
import { shownLine, type Terminal } from './terminal.ts';

export interface Progress {
  advanceTo(done: number, detail?: string): void;
  end(): void;
}

const plainIntervalMs = 5_000;

/** A progress bar on standard error: drawn in a terminal, a line every few seconds elsewhere. */
export const createProgress = ({ io }: Terminal, what: string, total: number): Progress => {
  const bar = new cliProgress.SingleBar(
    {
      stream: io.stderr,
      format: `${what} {bar} {value}/{total} {eta_formatted} {detail}`,
      barsize: 30,
      hideCursor: true,
      noTTYOutput: true,
      notTTYSchedule: plainIntervalMs,
      linewrap: false,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { detail: '' });
  return {
    advanceTo: (done, detail = '') => bar.update(done, { detail: shownLine(detail) }),
    end: () => bar.stop(),
  };
};
