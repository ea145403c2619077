import { absent, onPath } from '@portico/test-servers';
import { chromium, type Browser } from 'playwright-core';

/** Of each wait for the browser, in milliseconds. For hangs alone: no machine is too slow for it. */
export const waitLimit = 2 * 60_000;

/** The names of Chromium on Debian and Ubuntu, and of its relative. */
const programs = ['chromium', 'chromium-browser', 'google-chrome'];

const chromiumPath = (): string | null => {
  const given = process.env['CHROMIUM'];
  if (given) return given;
  return programs.map(onPath).find((path) => path !== null) ?? null;
};

/** It talks to this machine alone: no other name is ever resolved. */
const flags = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * A real browser without a window. Null if none is installed: its tests are skipped, counted and named; with
 * REQUIRE_SERVICES=1 an error says what to install.
 */
export const launchChromium = async (): Promise<Browser | null> => {
  const executablePath = chromiumPath();
  if (!executablePath)
    return absent('Chromium', 'install it (Debian: apt-get install chromium), or name its program in CHROMIUM');
  // As root, Chromium's sandbox refuses to start.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...flags, ...asRoot], timeout: waitLimit });
};
