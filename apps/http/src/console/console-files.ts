import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { PorticoError } from '@portico/domain';
import { keepsOpener, ready, type AnswerHeaders, type ReadyAnswer } from '../answers/answer.ts';
import { consolePolicy } from './content-security-policy.ts';

/** Where the console's build writes; absent until it was built. */
export const builtConsole = resolve(import.meta.dirname, '../../../console/dist');

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface ConsoleFile {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array | null;
  readonly headers: AnswerHeaders;
}

/** The files of the built console. */
export interface ConsoleFiles {
  /** The page, which the browser's part routes within. `framable`: by this service's own pages. */
  page(signInOrigins: readonly string[], framable: boolean): Promise<ReadyAnswer>;
  /** Throws `not_found` for any other name than those that the page loads. */
  asset(name: string, acceptsGzip: boolean): Promise<ReadyAnswer>;
  /** The icon, for those who know no name of it. Throws `not_found` until the console was built. */
  icon(acceptsGzip: boolean): Promise<ReadyAnswer>;
}

const notBuilt =
  'The console has not been built. Run "npm run console:build" once; "npm start" does it by itself.\n' +
  'The API works without it: see /docs.\n';

/** Reads the built console once, at the first request for it, and keeps it in memory: it has about 2 MB. */
export const createConsoleFiles = (folder: string = builtConsole): ConsoleFiles => {
  let reading: Promise<BuiltConsole | null> | null = null;
  // Built while the service runs: the next request looks again.
  const built = async (): Promise<BuiltConsole | null> => {
    const found = await (reading ??= readBuilt(folder));
    if (!found) reading = null;
    return found;
  };
  return {
    async page(signInOrigins, framable) {
      const found = await built();
      if (!found) return ready(notBuilt, { 'Content-Type': 'text/plain; charset=utf-8' }, 503);
      return ready(found.page, {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        ...policyHeaders(signInOrigins, framable),
      });
    },
    asset: async (name, acceptsGzip) => sent((await built())?.assets.get(name), acceptsGzip),
    async icon(acceptsGzip) {
      const assets = (await built())?.assets ?? new Map<string, ConsoleFile>();
      const name = [...assets.keys()].find((known) => /^icon-[^.]+\.svg$/.test(known)) ?? '';
      // This name does not change with the content.
      return sent(assets.get(name), acceptsGzip, { 'Cache-Control': 'public, max-age=86400' });
    },
  };
};

const sent = (file: ConsoleFile | undefined, acceptsGzip: boolean, own: AnswerHeaders = {}): ReadyAnswer => {
  if (!file) throw new PorticoError('not_found');
  const zipped = acceptsGzip ? file.gzip : null;
  return ready(zipped ?? file.plain, { ...file.headers, ...own, ...(zipped ? { 'Content-Encoding': 'gzip' } : {}) });
};

/**
 * A renewal in a hidden frame comes back to a page of this service, within a page of this service; a repeated sign-in
 * in a window of its own, which any other page opens and listens to.
 */
const policyHeaders = (signInOrigins: readonly string[], framable: boolean): AnswerHeaders => {
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

/** Null if the console has not been built. */
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
