import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './quantiles.ts';

export interface Timing {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of this process's CPU for each. */
  readonly cpu: number;
}

export interface Repetitions {
  readonly warmUp: number;
  readonly most: number;
  /** It ends earlier after this long, but not before 20. */
  readonly longestMs: number;
}

const least = 20;

/** Repeats the work in this process, one after another. */
export const timed = async (
  { warmUp, most, longestMs }: Repetitions,
  work: (at: number) => Promise<unknown>,
): Promise<Timing> => {
  const begin = performance.now();
  let done = 0;
  while (done < warmUp && (done < 3 || performance.now() - begin < longestMs / 4)) await work(done++);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  while (times.length < most && (times.length < least || performance.now() - start < longestMs)) {
    const from = performance.now();
    await work(done + times.length);
    times.push(performance.now() - from);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu: (user + system) / 1_000 / times.length };
};

/** The longest that the work holds the event loop at a stretch, of as many repetitions, in milliseconds. */
export const longestHoldMs = async (repetitions: number, work: () => Promise<unknown>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await pause(5);
  delay.reset();
  for (let at = 0; at < repetitions; at++) {
    await work();
    await pause(2);
  }
  delay.disable();
  // The histogram counts the timer's own resolution of 1 ms.
  return Math.max(0, delay.max / 1e6 - 1);
};

/** The resident memory of this process in MiB, after a collection of garbage. */
export const residentMiB = (): number => {
  const collect = globalThis.gc;
  if (!collect) throw new Error('The memory is measured with --expose-gc');
  collect();
  return process.memoryUsage().rss / 2 ** 20;
};
