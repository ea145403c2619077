import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { statementCount } from './statement-count.ts';
import type { ProbeAnswer, ProbeQuestion } from './subject.ts';

/**
 * Loaded into each process that is measured (`--import`), the product's and bare Express's alike: answers over its IPC
 * channel how long it collected garbage and how late its event loop was since it was asked to begin.
 */
const delayResolutionMs = 10;

if (isMainThread && process.send) {
  let gcMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  observer.observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const answers: Readonly<Record<ProbeQuestion, () => ProbeAnswer>> = {
    begin: () => {
      gcMs = 0;
      delay.reset();
      return read();
    },
    read: () => read(),
  };
  const read = (): ProbeAnswer => {
    const { user, system } = process.cpuUsage();
    // The histogram counts the timer's own resolution.
    const longestDelayMs = Math.max(0, delay.max / 1e6 - delayResolutionMs);
    const { heapUsed: heapBytes, arrayBuffers: bufferBytes } = process.memoryUsage();
    return {
      gcMs,
      longestDelayMs,
      cpuNs: (user + system) * 1_000,
      statements: statementCount(),
      heapBytes,
      bufferBytes,
    };
  };
  process.on('message', (question: ProbeQuestion) => process.send?.(answers[question]()));
  // Nothing outlives a meter that was killed.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
