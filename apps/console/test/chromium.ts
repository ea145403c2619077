import { findOnPath, skipUnlessRequired } from '@portico/test-servers';
import { chromium, type Browser } from 'playwright-core';

/** The timeout for each wait for the browser, in ms. Only a hang takes this long, even on a slow machine. */
export const waitLimit = 2 * 60_000;

/** The names of Chromium on Debian and Ubuntu, and of Google Chrome. */
const programs = ['chromium', 'chromium-browser', 'google-chrome'];

const findChromium = (): string | null => {
  const configuredPath = process.env['CHROMIUM'];
  if (configuredPath) return configuredPath;
  return programs.map(findOnPath).find((path) => path !== null) ?? null;
};

/** The browser connects only to this machine: no other host name is resolved. */
const flags = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * Launches a real browser without a window. Returns null if none is installed. In that case, the browser tests are
 * skipped and listed; with REQUIRE_SERVICES=1, an error says what to install.
 */
export const launchChromium = async (): Promise<Browser | null> => {
  const executablePath = findChromium();
  if (!executablePath)
    return skipUnlessRequired('Chromium', 'install it (Debian: apt-get install chromium), or set CHROMIUM to its path');
  // Chromium's sandbox cannot run as root.
  const sandboxFlags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...flags, ...sandboxFlags], timeout: waitLimit });
};
