import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { performance, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** What a process says of itself since it was asked last, in milliseconds. */
export interface ProcessWatch {
  /** The longest that its event loop was held, by itself or because the machine did not let it run. */
  readonly loopHeldMs: number;
  /** The most CPU that its main thread took in one turn of the loop: so long it held the loop itself. */
  readonly loopCpuMs: number;
  /** The longest pause of its garbage collector. */
  readonly collectedMs: number;
  /** What the main thread has now, in MiB: its heap, used and not yet given back, and what lies outside of it. */
  readonly heapMiB: number;
  readonly heapUsedMiB: number;
  readonly externalMiB: number;
}

/** The socket that the process answers at is named by this variable. */
export const watchVariable = 'PORTICO_BENCH_WATCH';

/** Loaded into the measured process by `--import`. Threads inherit it, and have nothing to say. */
const socket = process.env[watchVariable];
if (isMainThread && socket) {
  const unheld = { loopHeldMs: 0, loopCpuMs: 0, collectedMs: 0 };
  let watched = unheld;
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const timerMs = 1;
  let [at, cpu] = [performance.now(), cpuMs()];
  setInterval(() => {
    const [now, spent] = [performance.now(), cpuMs()];
    const loopHeldMs = Math.max(watched.loopHeldMs, now - at - timerMs);
    watched = { ...watched, loopHeldMs, loopCpuMs: Math.max(watched.loopCpuMs, spent - cpu) };
    [at, cpu] = [now, spent];
  }, timerMs).unref();
  new PerformanceObserver((list) => {
    const collectedMs = Math.max(watched.collectedMs, ...list.getEntries().map(({ duration }) => duration));
    watched = { ...watched, collectedMs };
  }).observe({ entryTypes: ['gc'] });
  rmSync(socket, { force: true });
  const server = createServer((connection) => {
    const { heapTotal, heapUsed, external } = process.memoryUsage();
    const memory = { heapMiB: heapTotal / 2 ** 20, heapUsedMiB: heapUsed / 2 ** 20, externalMiB: external / 2 ** 20 };
    connection.end(JSON.stringify({ ...watched, ...memory } satisfies ProcessWatch));
    watched = unheld;
  });
  server.listen(socket).unref();
}
