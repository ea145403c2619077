import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Of this process so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** What the work takes, and the longest that it holds the event loop, but for the timer's own resolution of 1 ms. */
export const timed = async (work: () => Promise<unknown>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await setTimeout(5);
  delay.reset();
  // The first turn after a reset is not recorded.
  await setTimeout(5);
  const [from, cpu] = [performance.now(), cpuMs()];
  await work();
  const [ms, spent] = [performance.now() - from, cpuMs() - cpu];
  await setTimeout(5);
  delay.disable();
  return { ms, cpu: spent, holdMs: delay.max / 1e6 - 1 };
};
