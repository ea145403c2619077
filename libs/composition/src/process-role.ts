import type { Config } from './config.ts';

/** What a process is for: answering requests, running jobs, or executing an operator's command. */
export type ProcessRole = 'http' | 'worker' | 'tool';

/** What a process of a role does. */
export interface Duties {
  /** Answers requests, and keeps its own request counts in `DATA_DIR` across restarts. */
  readonly answersRequests: boolean;
  /** Migrates the tables of an earlier version; otherwise refuses them. All make those of an empty database. */
  readonly migrates: boolean;
  /** Runs jobs; otherwise other processes do. */
  readonly worksJobs: boolean;
  /** Removes old audit entries and usage counts. */
  readonly prunesAudit: boolean;
  /** Servers and workers write a heartbeat; a tool that runs beside them does not. */
  readonly writesHeartbeat: boolean;
  /** What it logs about the configuration at its start. */
  readonly warnings: readonly string[];
}

export const dutiesOf = (role: ProcessRole, { jobs, warnings, jobWarnings }: Config): Duties => {
  const asConfigured = jobs === 'inline';
  const duties = {
    http: {
      answersRequests: true,
      migrates: true,
      worksJobs: asConfigured,
      prunesAudit: true,
      writesHeartbeat: true,
      warnings,
    },
    worker: {
      answersRequests: false,
      migrates: true,
      worksJobs: true,
      prunesAudit: true,
      writesHeartbeat: true,
      warnings: jobWarnings,
    },
    tool: {
      answersRequests: false,
      migrates: false,
      worksJobs: asConfigured,
      prunesAudit: false,
      writesHeartbeat: false,
      warnings: [],
    },
  } satisfies Record<ProcessRole, Duties>;
  return duties[role];
};
