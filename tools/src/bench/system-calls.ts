import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { quantile } from './statistics.ts';

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

/**
 * What nine of ten requests take at least. What comes by time, such as a look at a file ten times a second, comes with
 * each second request on a slow machine, and on a fast one with none.
 */
const leastShare = 0.1;

/**
 * Counts the system calls of all threads of a process for each of the requests that `work` sends, one after the other,
 * by `strace`; writes to `logFile` apart.
 */
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
  return leastOf(callsOfRequests(output, logFile));
};

const leastOf = (requests: readonly SystemCalls[]): SystemCalls => {
  const names = [...new Set(requests.flatMap((calls) => Object.keys(calls)))].sort();
  const least = (name: string): number =>
    Math.round(quantile(Float64Array.from(requests, (calls) => calls[name] ?? 0).sort(), leastShare));
  return Object.fromEntries(names.map((name) => [name, least(name)] as const).filter(([, count]) => count > 0));
};

/** A request begins when it is read from its socket. */
const callsOfRequests = (output: string, logFile: string): readonly SystemCalls[] => {
  const requests: Record<string, number>[] = [];
  for (const call of callsOf(output, logFile)) {
    if (call === 'read socket') requests.push({});
    const calls = requests.at(-1);
    if (calls) calls[call] = (calls[call] ?? 0) + 1;
  }
  return requests;
};

/** `[pid 7] read(21<socket:[5]>, ""..., 65536) = 213`, or that it begins: `… <unfinished ...>`. */
const callsOf = (output: string, logFile: string): readonly string[] =>
  [...output.matchAll(/^(?:\[pid +\d+\] )?(\w+)\((?:\d+<([^>]*)>)?/gm)].flatMap(([, name = '', target]) => {
    const kind = target === undefined ? '' : kindOf(target, logFile);
    return kind === 'eventfd' ? [] : [`${name} ${kind}`.trimEnd()];
  });

const kindOf = (target: string, logFile: string): string => {
  if (target === logFile) return 'log';
  // Threads wake each other by it.
  if (target.includes('eventfd')) return 'eventfd';
  return /^(?:anon_inode:\[)?([a-z]+)/.exec(target)?.[1] ?? 'file';
};
