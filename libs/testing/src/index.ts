export { createHarness, defaultSettings, type Harness } from './harness.ts';
export { runDueJobs } from './run-due-jobs.ts';
export { createTestIssuer, testAccessAudiences, testAudience, testIssuer, type TestIssuer } from './test-issuer.ts';
export { createTestSignIn } from './local-sign-in.ts';
