import { bindLate } from '@portico/test-servers';
import type { Environment } from '@portico/composition';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from './chromium.ts';
import { startConsoleService, type ConsoleService } from './console-service.ts';

/** Launches Chromium, and closes it at the end of the test file. Returns null if it is not installed. */
export const provideBrowser: typeof launchChromium = async () => {
  const browser = await launchChromium();
  afterAll(() => browser?.close());
  return browser;
};

/** Provides a service for the tests of a `describe`: starts it before the first and stops it after the last. */
export const provideService = (variables: Environment = {}): ConsoleService => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await startConsoleService(variables);
  });
  afterAll(() => service.close());
  return bindLate(() => service);
};
