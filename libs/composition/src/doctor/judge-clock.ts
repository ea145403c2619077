import { ok, skipped, wrong, type Finding } from './check.ts';

/** Tokens are valid for minutes, and each process judges the lease of a job by its own clock. */
const aheadMaxMs = 60_000;

/** Judges how far another machine's clock is from ours; `aheadMs` is null if it did not say. */
export const judgeClock = (whose: string, aheadMs: number | null): Finding => {
  if (aheadMs === null) return skipped(`It is not known what time it is for ${whose}.`);
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) <= aheadMaxMs) return ok(`The clock agrees with that of ${whose} (within ${seconds} s).`);
  return wrong(
    `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    'Run NTP on both machines (timedatectl shows whether it does).',
  );
};
