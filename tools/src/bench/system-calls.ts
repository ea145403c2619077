import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** How many of each, by name and what it was applied to: `read socket`, `fsync file`, `write log`. */
export type SystemCalls = Readonly<Record<string, number>>;

/** Whether `strace` is installed, and may trace. */
export const canCountSystemCalls = (): boolean =>
  process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Memory, locks and scheduling: how often they are called depends on what else the machine does. */
const uncounted = [
  ...['brk', 'madvise', 'mmap', 'mprotect', 'mremap', 'munmap'],
  ...['epoll_pwait', 'epoll_wait', 'futex', 'getpid', 'rt_sigprocmask', 'rt_sigreturn', 'restart_syscall'],
  ...['sched_getparam', 'sched_getscheduler', 'sched_setscheduler', 'sched_yield', 'clock_nanosleep'],
];

/** Counts the system calls of all threads of a process while `work` runs, by `strace`; writes to `logFile` apart. */
export const countSystemCalls = async (
  pid: number,
  logFile: string,
  work: () => Promise<void>,
): Promise<SystemCalls> => {
  const options = ['-f', '-y', '-s', '0', '-e', 'signal=none', '-e', `trace=!${uncounted.join(',')}`];
  const strace = spawn('strace', [...options, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(strace, 'exit');
  let output = '';
  strace.stderr.setEncoding('latin1');
  const attached = new Promise<void>((resolve, reject) => {
    strace.stderr.on('data', (text: string) => {
      output += text;
      if (output.includes(' attached')) resolve();
    });
    strace.on('error', reject);
    strace.on('exit', () => reject(new Error(`strace: ${output}`)));
  });
  await attached;
  try {
    await work();
  } finally {
    strace.kill('SIGINT');
    await ended;
  }
  return callsOf(output, logFile);
};

/** `[pid 7] read(21<socket:[5]>, ""..., 65536) = 213`, or that it begins: `… <unfinished ...>`. */
const callsOf = (output: string, logFile: string): SystemCalls => {
  const calls: Record<string, number> = {};
  for (const [, name = '', target] of output.matchAll(/^(?:\[pid +\d+\] )?(\w+)\((?:\d+<([^>]*)>)?/gm)) {
    const kind = target === undefined ? '' : kindOf(target, logFile);
    if (kind === 'eventfd') continue;
    const call = `${name} ${kind}`.trimEnd();
    calls[call] = (calls[call] ?? 0) + 1;
  }
  return calls;
};

const kindOf = (target: string, logFile: string): string => {
  if (target === logFile) return 'log';
  // Threads wake each other by it.
  if (target.includes('eventfd')) return 'eventfd';
  return /^(?:anon_inode:\[)?([a-z]+)/.exec(target)?.[1] ?? 'file';
};
