import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { PorticoError } from '@portico/domain';
import {
  openerPolicyHeaders,
  toReadyResponse,
  type ResponseHeaders,
  type ReadyResponse,
} from '../responses/route-response.ts';
import { createConsolePolicy } from './content-security-policy.ts';

/** The output folder of the console's build; it does not exist until the console is built. */
export const consoleBuildFolder = resolve(import.meta.dirname, '../../../console/dist');

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface ConsoleFile {
  readonly uncompressed: Uint8Array;
  readonly gzip: Uint8Array | null;
  readonly headers: ResponseHeaders;
}

/** The files of the built console. */
export interface ConsoleFiles {
  /**
   * Returns the page, which does its own routing in the browser. `isFramable`: whether this service's own pages may frame
   * it.
   */
  readPage(signInOrigins: readonly string[], isFramable: boolean): Promise<ReadyResponse>;
  /** Returns a file that the page loads. Throws `not_found` for any other name. */
  readAsset(name: string, acceptsGzip: boolean): Promise<ReadyResponse>;
  /** Returns the icon, for clients that do not know its hashed name. Throws `not_found` until the console is built. */
  readIcon(acceptsGzip: boolean): Promise<ReadyResponse>;
}

const notBuiltMessage =
  'The console has not been built. Run "npm run console:build" once; "npm start" does it by itself.\n' +
  'The API works without it: see /docs.\n';

/** Reads the built console once, on the first request for it, and keeps it in memory (about 2 MB). */
export const createConsoleFiles = (folder: string = consoleBuildFolder): ConsoleFiles => {
  let pendingRead: Promise<BuiltConsole | null> | null = null;
  // The console may be built while the service is running, so the next request checks again.
  const readOnce = async (): Promise<BuiltConsole | null> => {
    const builtConsole = await (pendingRead ??= readBuiltConsole(folder));
    if (!builtConsole) pendingRead = null;
    return builtConsole;
  };
  return {
    async readPage(signInOrigins, isFramable) {
      const build = await readOnce();
      if (!build) return toReadyResponse(notBuiltMessage, { 'Content-Type': 'text/plain; charset=utf-8' }, 503);
      return toReadyResponse(build.page, {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        ...createPolicyHeaders(signInOrigins, isFramable),
      });
    },
    readAsset: async (name, acceptsGzip) => createFileResponse((await readOnce())?.assets.get(name), acceptsGzip),
    async readIcon(acceptsGzip) {
      const assets = (await readOnce())?.assets ?? new Map<string, ConsoleFile>();
      const name = [...assets.keys()].find((assetName) => /^icon-[^.]+\.svg$/.test(assetName)) ?? '';
      // This name does not change with the content.
      return createFileResponse(assets.get(name), acceptsGzip, { 'Cache-Control': 'public, max-age=86400' });
    },
  };
};

const createFileResponse = (
  file: ConsoleFile | undefined,
  acceptsGzip: boolean,
  extraHeaders: ResponseHeaders = {},
): ReadyResponse => {
  if (!file) throw new PorticoError('not_found');
  const gzip = acceptsGzip ? file.gzip : null;
  return toReadyResponse(gzip ?? file.uncompressed, {
    ...file.headers,
    ...extraHeaders,
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
  });
};

/**
 * Returns the headers of a page. A renewal in a hidden frame finishes on a page of this service, framed by another page of
 * this service. A repeated sign-in finishes in a separate window, which another page has opened and waits for.
 */
const createPolicyHeaders = (signInOrigins: readonly string[], isFramable: boolean): ResponseHeaders => {
  const policy = createConsolePolicy(signInOrigins);
  if (!isFramable) {
    return { 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' };
  }
  const framablePolicy = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");
  return { 'Content-Security-Policy': framablePolicy, 'X-Frame-Options': 'SAMEORIGIN', ...openerPolicyHeaders };
};

interface BuiltConsole {
  readonly page: Uint8Array;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Reads the built console; returns null if it has not been built. */
const readBuiltConsole = async (folder: string): Promise<BuiltConsole | null> => {
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
  uncompressed: await readFile(join(folder, 'assets', name)),
  gzip: names.includes(`${name}.gz`) ? await readFile(join(folder, 'assets', `${name}.gz`)) : null,
  headers: {
    'Content-Type': mediaTypes[extname(name)] ?? 'application/octet-stream',
    // The name changes with the content.
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  },
});
