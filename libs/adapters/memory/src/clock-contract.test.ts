import { clockContract } from '@portico/contracts';
import type { ClockSubject, Sabotages } from '@portico/contracts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryClock } from './memory-clock.ts';

const createSubject = (): ClockSubject => {
  const clock = createMemoryClock();
  return { clock, pass: async (milliseconds) => clock.advance(milliseconds) };
};

const sabotages: Sabotages<typeof clockContract, ClockSubject> = {
  'the wall clock tells whole milliseconds that are a date': ({ clock, pass }) => ({
    clock: { ...clock, now: () => clock.now() + 0.5 },
    pass,
  }),
  'both clocks go on as time passes': ({ clock, pass }) => ({ clock: { ...clock, monotonic: () => 0 }, pass }),
  'monotonic time never goes back': ({ clock, pass }) => ({
    clock: { ...clock, monotonic: () => -clock.monotonic() },
    pass,
  }),
};

proveContract(clockContract, sabotages, createSubject);
