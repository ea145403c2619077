import { performance as hooks } from 'node:perf_hooks';
import { setTimeout, sleep } from './real-time.ts';

/** The part of Vitest's `vi` that stopping time requires. */
export interface FakeTimers {
  useFakeTimers(config: { toFake: TimerName[]; fakeNodeBuiltins: true }): unknown;
  useRealTimers(): unknown;
  advanceTimersByTimeAsync(ms: number): Promise<unknown>;
}

type TimerName = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'Date' | 'performance';

const fakedTimers: readonly TimerName[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
];

/** The time of this process, which passes only when the test advances it. */
export interface StoppedTime {
  /** Advances time by this much: timers that are due fire. */
  readonly advance: (ms: number) => Promise<void>;
  /** Repeats an attempt until it succeeds, without advancing time: it waits only for I/O. */
  readonly pollInRealTime: <T>(attempt: () => T | Promise<T>) => Promise<T>;
  /** Advances time in small steps, with real I/O between them, until the promise settles. */
  readonly advanceUntil: <T>(promise: Promise<T>) => Promise<T>;
  /** Repeats an attempt that may fail until it succeeds, and advances time in between. */
  readonly advanceUntilSuccess: <T>(attempt: () => T | Promise<T>) => Promise<T>;
  /** Restores real time. */
  readonly restore: () => void;
}

/** The maximum time that passes in steps. It is longer than any timeout that tests wait for in this way. */
const passedMaxMs = 120_000;
/** The maximum number of attempts. There are at most 100 per second, so this is at least two minutes of real time. */
const attemptsMax = 12_000;
const stepMs = 20;
/** The largest step. After a while, the awaited event is probably still minutes ahead. */
const stepMaxMs = 100;
const computeStepMs = (passedMs: number): number => Math.min(stepMaxMs, Math.max(stepMs, passedMs / 500));
/**
 * The number of event loop iterations after each step, in addition to at least one real millisecond. Together, they
 * take longer than an exchange on loopback.
 */
const roundsPerStep = 20;

/**
 * Stops the time of this process, so that a timeout expires when the test advances time, and never because the machine
 * is slow. `setTimeout`, `setInterval`, `node:timers`, `node:timers/promises`, `AbortSignal.timeout`, `Date` and
 * `performance.now` stand still. Sockets, `setImmediate` and other processes continue, as do this package's proxies and
 * servers, and timers without a delay, which `fetch` uses only to yield. Only the model of the fake Ollama runs in
 * stopped time, so that a test can decide which of two things finishes first. `expect.poll` and `vi.waitFor` also
 * continue, but advance stopped time by 50 ms with each attempt: use `pollInRealTime` instead.
 */
export const stopTime = (timers: FakeTimers): StoppedTime => {
  const timeout = Reflect.get<typeof AbortSignal, 'timeout'>(AbortSignal, 'timeout');
  timers.useFakeTimers({ toFake: [...fakedTimers], fakeNodeBuiltins: true });
  const stoppedClock = globalThis.performance;
  Object.defineProperty(hooks, 'now', { value: () => stoppedClock.now(), configurable: true });
  const stoppedTimer = globalThis.setTimeout;
  const startTimer = (callback: () => void, ms = 0, ...rest: []) =>
    (ms > 0 ? stoppedTimer : setTimeout)(callback, ms, ...rest);
  globalThis.setTimeout = Object.assign(startTimer, stoppedTimer);
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    globalThis.setTimeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    );
    return controller.signal;
  };
  const advance = async (ms: number): Promise<void> => {
    await timers.advanceTimersByTimeAsync(ms);
    await sleep(1);
    for (let round = 0; round < roundsPerStep; round += 1) await new Promise(setImmediate);
  };
  const advanceUntil = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const markSettled = () => {
      isSettled = true;
    };
    promise.then(markSettled, markSettled);
    for (const startedAt = performance.now(); !isSettled;) {
      const passedMs = performance.now() - startedAt;
      if (passedMs > passedMaxMs) throw new Error('The promise did not settle within two minutes of stopped time');
      await advance(computeStepMs(passedMs));
    }
    return promise;
  };
  return {
    advance,
    async pollInRealTime(attempt) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (attempts === attemptsMax) throw error;
        }
        await sleep(10);
      }
    },
    advanceUntil,
    async advanceUntilSuccess(attempt) {
      for (const startedAt = performance.now(); ;) {
        try {
          return await advanceUntil(Promise.resolve(attempt()));
        } catch (error) {
          const passedMs = performance.now() - startedAt;
          if (passedMs > passedMaxMs) throw error;
          await advance(computeStepMs(passedMs));
        }
      }
    },
    restore: () => {
      AbortSignal.timeout = timeout;
      Reflect.deleteProperty(hooks, 'now');
      timers.useRealTimers();
    },
  };
};
