export { createHarness, defaultSettings, type Harness } from './harness.ts';
export { runDueJobs } from './run-due-jobs.ts';
