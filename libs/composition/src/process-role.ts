import type { Config } from './config.ts';

/** The purpose of a process: serving requests, running jobs, or executing an operator's command. */
export type ProcessRole = 'http' | 'worker' | 'tool';

/** The duties of a process with a role. */
export interface Duties {
  /** Serves requests, and stores its own request counts in `DATA_DIR` across restarts. */
  readonly servesRequests: boolean;
  /**
   * Migrates the tables of an earlier version; a process without this duty rejects them. All roles create the tables of
   * an empty database.
   */
  readonly migrates: boolean;
  /** Runs jobs; otherwise other processes do. */
  readonly runsJobs: boolean;
  /** Removes old audit entries, usage counts and calls, and the arguments of expired calls. */
  readonly prunesAudit: boolean;
  /** Servers and workers write a heartbeat; a tool that runs at the same time does not. */
  readonly writesHeartbeat: boolean;
  /** The configuration warnings that the process logs at startup. */
  readonly warnings: readonly string[];
}

export const dutiesOf = (role: ProcessRole, { jobs, calls, warnings, jobWarnings }: Config): Duties => {
  // A process that only calls APIs is the one with a way out: it does no other work.
  const onlyCalls = role === 'http' && calls === 'only';
  const runsJobsInline = jobs === 'inline' && !onlyCalls;
  const duties = {
    http: {
      servesRequests: true,
      migrates: !onlyCalls,
      runsJobs: runsJobsInline,
      prunesAudit: !onlyCalls,
      writesHeartbeat: true,
      warnings,
    },
    worker: {
      servesRequests: false,
      migrates: true,
      runsJobs: true,
      prunesAudit: true,
      writesHeartbeat: true,
      warnings: jobWarnings,
    },
    tool: {
      servesRequests: false,
      migrates: false,
      runsJobs: runsJobsInline,
      prunesAudit: false,
      writesHeartbeat: false,
      warnings: [],
    },
  } satisfies Record<ProcessRole, Duties>;
  return duties[role];
};
