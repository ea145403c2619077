import { stopTime, type StoppedTime } from '@portico/test-servers';
import { afterEach, beforeEach, vi } from 'vitest';

const waitMaxMs = 120_000;
const waitStepMs = 100;

let stoppedTime: StoppedTime | null = null;

/** Stops time in each test of a file, so that no timeout expires unless the test lets time pass. */
export const stopTimeInEachTest = (): void => {
  beforeEach(() => {
    stoppedTime = stopTime(vi);
  });
  afterEach(() => {
    time().restore();
    stoppedTime = null;
  });
};

/** Returns the stopped time of the running test. */
export const time = (): StoppedTime => {
  if (!stoppedTime) throw new Error('Time is not stopped in this test');
  return stoppedTime;
};

/** Lets time pass until the condition is true. */
export const waitUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const startedAt = performance.now(); !(await condition()); await time().advance(waitStepMs)) {
    if (performance.now() - startedAt > waitMaxMs)
      throw new Error('The condition was not true within two minutes of stopped time');
  }
};
