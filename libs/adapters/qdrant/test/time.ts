import { stopTime, type StoppedTime } from '@portico/test-servers';
import { afterEach, beforeEach, vi } from 'vitest';

const untilMaxMs = 120_000;
const untilStepMs = 100;

let stopped: StoppedTime | null = null;

/** Stops time in each test of a file, so that no timeout expires unless the test lets time pass. */
export const stopTimeInEachTest = (): void => {
  beforeEach(() => {
    stopped = stopTime(vi);
  });
  afterEach(() => {
    time().restore();
    stopped = null;
  });
};

/** Returns the stopped time of the running test. */
export const time = (): StoppedTime => {
  if (!stopped) throw new Error('The time of this test is real');
  return stopped;
};

/** Lets time pass until the condition is true. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const before = performance.now(); !(await condition()); await time().advance(untilStepMs)) {
    if (performance.now() - before > untilMaxMs) throw new Error('It was not true within two minutes of stopped time');
  }
};
