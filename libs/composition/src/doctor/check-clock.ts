import { pass, skip, fail, type Finding } from './check.ts';

/** Tokens are valid for minutes, and each process checks the lease of a job with its own clock. */
const aheadMaxMs = 60_000;

/** Checks the difference between another machine's clock and ours; `aheadMs` is null if it is unknown. */
export const checkClock = (machine: string, clockSkewMs: number | null): Finding => {
  if (clockSkewMs === null) return skip(`The time of ${machine} is not known.`);
  const seconds = Math.round(Math.abs(clockSkewMs) / 1_000);
  if (Math.abs(clockSkewMs) <= aheadMaxMs)
    return pass(`The clock agrees with that of ${machine} (within ${seconds} s).`);
  return fail(
    `The clock of ${machine} is ${seconds} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    'Run NTP on both machines (timedatectl shows whether it does).',
  );
};
