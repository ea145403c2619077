import { stopTime, type StoppedTime } from '@portico/test-servers';
import { afterEach, beforeEach, vi } from 'vitest';

const untilMaxMs = 120_000;
const untilStepMs = 100;

let stopped: StoppedTime | null = null;

/** Stops the time of each test of a file: no limit strikes unless the test lets time pass. */
export const stopTimeOfEachTest = (): void => {
  beforeEach(() => {
    stopped = stopTime(vi);
  });
  afterEach(() => {
    time().goOn();
    stopped = null;
  });
};

/** That of the running test. */
export const time = (): StoppedTime => {
  if (!stopped) throw new Error('The time of this test is real');
  return stopped;
};

/** Lets time pass until it holds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const before = performance.now(); !(await holds()); await time().pass(untilStepMs)) {
    if (performance.now() - before > untilMaxMs) throw new Error('It did not hold within two minutes of stopped time');
  }
};
