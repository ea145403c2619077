import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { PorticoError } from '@portico/domain';
import { keepsOpener, ready, type ResponseHeaders, type ReadyResponse } from '../responses/route-response.ts';
import { consolePolicy } from './content-security-policy.ts';

/** The output folder of the console's build; it does not exist until the console is built. */
export const builtConsole = resolve(import.meta.dirname, '../../../console/dist');

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface ConsoleFile {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array | null;
  readonly headers: ResponseHeaders;
}

/** The files of the built console. */
export interface ConsoleFiles {
  /**
   * Returns the page, which does its own routing in the browser. `framable`: whether this service's own pages may frame
   * it.
   */
  page(signInOrigins: readonly string[], framable: boolean): Promise<ReadyResponse>;
  /** Returns a file that the page loads. Throws `not_found` for any other name. */
  asset(name: string, acceptsGzip: boolean): Promise<ReadyResponse>;
  /** Returns the icon, for clients that do not know its hashed name. Throws `not_found` until the console is built. */
  icon(acceptsGzip: boolean): Promise<ReadyResponse>;
}

const notBuilt =
  'The console has not been built. Run "npm run console:build" once; "npm start" does it by itself.\n' +
  'The API works without it: see /docs.\n';

/** Reads the built console once, on the first request for it, and keeps it in memory (about 2 MB). */
export const createConsoleFiles = (folder: string = builtConsole): ConsoleFiles => {
  let reading: Promise<BuiltConsole | null> | null = null;
  // The console may be built while the service is running, so the next request checks again.
  const readOnce = async (): Promise<BuiltConsole | null> => {
    const console = await (reading ??= readBuilt(folder));
    if (!console) reading = null;
    return console;
  };
  return {
    async page(signInOrigins, framable) {
      const build = await readOnce();
      if (!build) return ready(notBuilt, { 'Content-Type': 'text/plain; charset=utf-8' }, 503);
      return ready(build.page, {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        ...policyHeaders(signInOrigins, framable),
      });
    },
    asset: async (name, acceptsGzip) => sent((await readOnce())?.assets.get(name), acceptsGzip),
    async icon(acceptsGzip) {
      const assets = (await readOnce())?.assets ?? new Map<string, ConsoleFile>();
      const name = [...assets.keys()].find((known) => /^icon-[^.]+\.svg$/.test(known)) ?? '';
      // This name does not change with the content.
      return sent(assets.get(name), acceptsGzip, { 'Cache-Control': 'public, max-age=86400' });
    },
  };
};

const sent = (file: ConsoleFile | undefined, acceptsGzip: boolean, own: ResponseHeaders = {}): ReadyResponse => {
  if (!file) throw new PorticoError('not_found');
  const zipped = acceptsGzip ? file.gzip : null;
  return ready(zipped ?? file.plain, { ...file.headers, ...own, ...(zipped ? { 'Content-Encoding': 'gzip' } : {}) });
};

/**
 * Returns the headers of a page. A renewal in a hidden frame ends on a page of this service, framed by another page of
 * this service. A repeated sign-in ends in a separate window, which another page has opened and waits for.
 */
const policyHeaders = (signInOrigins: readonly string[], framable: boolean): ResponseHeaders => {
  const policy = consolePolicy(signInOrigins);
  if (!framable) {
    return { 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' };
  }
  const ownFrames = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");
  return { 'Content-Security-Policy': ownFrames, 'X-Frame-Options': 'SAMEORIGIN', ...keepsOpener };
};

interface BuiltConsole {
  readonly page: Uint8Array;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Reads the built console; returns null if it has not been built. */
const readBuilt = async (folder: string): Promise<BuiltConsole | null> => {
  try {
    const page = await readFile(join(folder, 'index.html'));
    const names = await readdir(join(folder, 'assets'));
    const files = await Promise.all(
      names.filter((name) => !name.endsWith('.gz')).map(async (name) => [name, await readAsset(folder, name, names)]),
    );
    return { page, assets: new Map(files as [string, ConsoleFile][]) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

const readAsset = async (folder: string, name: string, names: readonly string[]): Promise<ConsoleFile> => ({
  plain: await readFile(join(folder, 'assets', name)),
  gzip: names.includes(`${name}.gz`) ? await readFile(join(folder, 'assets', `${name}.gz`)) : null,
  headers: {
    'Content-Type': mediaTypes[extname(name)] ?? 'application/octet-stream',
    // The name changes with the content.
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  },
});
