import { spawnSync } from 'node:child_process';

/**
 * Runs `work` while these processes and this one share a processor, if `taskset` is there to see to it; then they may use
 * again what this one could before. Server and caller take turns on it: otherwise a request costs some 15 % more where
 * the caller is fast, because the server wakes up for each alone, and less where other processes slow the caller down.
 */
export const onOneProcessor = async <Result>(pids: readonly number[], work: () => Promise<Result>): Promise<Result> => {
  const allowed = allowedProcessors();
  const one = /\d+$/.exec(allowed ?? '')?.[0];
  if (allowed === null || one === undefined) return work();
  const all = [process.pid, ...pids];
  try {
    for (const pid of all) allow(pid, one);
    return await work();
  } finally {
    for (const pid of all) allow(pid, allowed);
  }
};

/** As `taskset` lists them: `0-3,8`. Null without it. */
const allowedProcessors = (): string | null => {
  const { status, stdout } = spawnSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  return status === 0 ? (/: ([\d,-]+)$/m.exec(stdout)?.[1] ?? null) : null;
};

/** For all of its threads. */
const allow = (pid: number, processors: string): void =>
  void spawnSync('taskset', ['-a', '-c', '-p', processors, String(pid)], { stdio: 'ignore' });
