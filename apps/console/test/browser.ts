import type { Browser } from 'playwright-core';
import { vi } from 'vitest';
import { launchChromium } from './chromium.ts';

/** A browser on a busy machine is slow; what waits within a test gives up before. */
const slow = { testTimeout: 60_000, hookTimeout: 120_000 };

/**
 * A real browser without a window. Null if none is installed: its tests are skipped, counted and named; with
 * REQUIRE_SERVICES=1 an error says what to install.
 */
export const startBrowser = async (): Promise<Browser | null> => {
  const browser = await launchChromium();
  if (browser) vi.setConfig(slow);
  return browser;
};
