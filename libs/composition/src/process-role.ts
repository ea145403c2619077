import type { Config } from './config.ts';

/** What a process is for: to answer requests, to work jobs, or to do what an operator asks. */
export type ProcessRole = 'http' | 'worker' | 'tool';

/** What follows from a role. */
export interface Duties {
  /**
   * Answers requests: its own counts of them then outlive a restart, in `DATA_DIR`, and it settles whom the profiles of before
   * issuers were kept belong to.
   */
  readonly answersRequests: boolean;
  /** Works jobs; where it does not, it leaves them to others. */
  readonly worksJobs: boolean;
  readonly prunesAudit: boolean;
  /** The heartbeat is that of a process which serves or works here; a tool beside it has none. */
  readonly writesHeartbeat: boolean;
  /** What it tells the operator of the configuration. */
  readonly warnings: readonly string[];
}

export const dutiesOf = (role: ProcessRole, { jobs, warnings, jobWarnings }: Config): Duties => {
  const asConfigured = jobs === 'inline';
  const duties = {
    http: { answersRequests: true, worksJobs: asConfigured, prunesAudit: true, writesHeartbeat: true, warnings },
    worker: {
      answersRequests: false,
      worksJobs: true,
      prunesAudit: true,
      writesHeartbeat: true,
      warnings: jobWarnings,
    },
    tool: { answersRequests: false, worksJobs: asConfigured, prunesAudit: false, writesHeartbeat: false, warnings: [] },
  } satisfies Record<ProcessRole, Duties>;
  return duties[role];
};
