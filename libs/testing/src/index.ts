export { createHarness, defaultSettings, type Harness } from './harness.ts';
