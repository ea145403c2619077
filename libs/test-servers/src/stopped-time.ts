import { performance as hooks } from 'node:perf_hooks';
import { setTimeout, sleep } from './real-time.ts';

/** What is needed of Vitest's `vi`. */
export interface FakeTimers {
  useFakeTimers(config: { toFake: TimerName[]; fakeNodeBuiltins: true }): unknown;
  useRealTimers(): unknown;
  advanceTimersByTimeAsync(ms: number): Promise<unknown>;
}

type TimerName = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'Date' | 'performance';

const stopped: readonly TimerName[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
];

/** The time of this process, which passes only as the test says. */
export interface StoppedTime {
  /** Lets this much time pass: timers that are due fire. */
  readonly pass: (ms: number) => Promise<void>;
  /** Repeats an attempt until it succeeds, for which no time passes: what it waits for is I/O. */
  readonly stillUntil: <T>(attempt: () => T | Promise<T>) => Promise<T>;
  /** Lets time pass in small steps, with real I/O between them, until the promise settles. */
  readonly passUntil: <T>(promise: Promise<T>) => Promise<T>;
  /** Repeats an attempt that may fail, and lets time pass meanwhile, until it succeeds. */
  readonly passUntilSucceeds: <T>(attempt: () => T | Promise<T>) => Promise<T>;
  /** Real time again. */
  readonly goOn: () => void;
}

/** Past the limits that tests wait for in steps. */
const passedMaxMs = 120_000;
/** A hundred of these attempts a second, for two minutes of real time at least. */
const attemptsMax = 12_000;
const stepMs = 20;
/** A step after some time: what is awaited then is minutes away. */
const stepMaxMs = 100;
const stepAfter = (passedMs: number): number => Math.min(stepMaxMs, Math.max(stepMs, passedMs / 500));
/** Rounds of the event loop after each step, a real millisecond at least: more than an exchange on loopback takes. */
const roundsOfStep = 20;

/**
 * Stops the time of this process, so that a limit strikes when the test lets its time pass, and never because the
 * machine is slow. `setTimeout`, `setInterval`, `node:timers`, `node:timers/promises`, `AbortSignal.timeout`, `Date` and
 * `performance.now` stand still. Sockets, `setImmediate` and other processes go on, and so do the proxies and servers of
 * this package, and timers without a delay, by which `fetch` only waits for its next turn; only the model of the Ollama stand-in computes in stopped time, so that a test can say what is over
 * first. `expect.poll` and `vi.waitFor` go on too, but let 50 ms of stopped time pass with each attempt: here
 * `stillUntil` takes their place.
 */
export const stopTime = (timers: FakeTimers): StoppedTime => {
  const timeout = Reflect.get<typeof AbortSignal, 'timeout'>(AbortSignal, 'timeout');
  timers.useFakeTimers({ toFake: [...stopped], fakeNodeBuiltins: true });
  const stoppedClock = globalThis.performance;
  Object.defineProperty(hooks, 'now', { value: () => stoppedClock.now(), configurable: true });
  const stoppedTimer = globalThis.setTimeout;
  const startTimer = (act: () => void, ms = 0, ...rest: []) => (ms > 0 ? stoppedTimer : setTimeout)(act, ms, ...rest);
  globalThis.setTimeout = Object.assign(startTimer, stoppedTimer);
  AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    globalThis.setTimeout(
      () => over.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    );
    return over.signal;
  };
  const pass = async (ms: number): Promise<void> => {
    await timers.advanceTimersByTimeAsync(ms);
    await sleep(1);
    for (let round = 0; round < roundsOfStep; round += 1) await new Promise(setImmediate);
  };
  const passUntil = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (const before = performance.now(); !isSettled;) {
      const passedMs = performance.now() - before;
      if (passedMs > passedMaxMs) throw new Error('Nothing came of it within two minutes of stopped time');
      await pass(stepAfter(passedMs));
    }
    return promise;
  };
  return {
    pass,
    async stillUntil(attempt) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (attempts === attemptsMax) throw error;
        }
        await sleep(10);
      }
    },
    passUntil,
    async passUntilSucceeds(attempt) {
      for (const before = performance.now(); ;) {
        try {
          return await passUntil(Promise.resolve(attempt()));
        } catch (error) {
          const passedMs = performance.now() - before;
          if (passedMs > passedMaxMs) throw error;
          await pass(stepAfter(passedMs));
        }
      }
    },
    goOn: () => {
      AbortSignal.timeout = timeout;
      Reflect.deleteProperty(hooks, 'now');
      timers.useRealTimers();
    },
  };
};
