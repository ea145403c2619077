import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Revision } from './conformance-exemptions.ts';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Stops a suite that hangs. It takes seconds, and limits each scenario to 30 s. */
const timeoutMs = 5 * 60_000;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

/**
 * Creates a proxy that adds an API key, because the suite cannot send headers of its own. Nothing else changes: Host
 * and Origin arrive as they were sent.
 */
export const createKeyProxy = (serviceUrl: string, key: string): Server => {
  const { hostname, port } = new URL(serviceUrl);
  return createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = [...incoming.rawHeaders, 'X-API-Key', key];
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
};

/**
 * Runs every scenario that a protocol revision has for servers, and returns the failed checks: `scenario:check`, or
 * `scenario` if both names are equal. Throws if the suite does not reach its end.
 */
export const runConformanceSuite = async (url: string, revision: Revision, folder: string): Promise<Set<string>> => {
  const output = await runProgram(['server', '--url', url, '--requirements', revision, '--output-dir', folder]);
  const scenarios = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = '']) => name);
  if (!/^Total: \d+ passed, \d+ failed$/m.test(output)) throw new Error(`The suite did not reach its end:\n${output}`);
  return new Set(
    scenarios.flatMap((scenario) =>
      readChecks(folder, scenario)
        .filter(({ status }) => status === 'FAILURE')
        .map(({ id }) => (id === scenario ? id : `${scenario}:${id}`)),
    ),
  );
};

const runProgram = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      // The suite exits with 1 if any check fails.
      if (error && error.code !== 1) reject(new Error(`The suite failed:\n${stdout}\n${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });

const readChecks = (folder: string, scenario: string): readonly Check[] => {
  const [file, ...others] = globSync(`server-${scenario}-[0-9][0-9][0-9][0-9]-*/checks.json`, { cwd: folder });
  if (others.length > 0) throw new Error(`The scenario ${scenario} ran more than once`);
  // The suite reports an error in a scenario only on its output.
  if (file === undefined) return [{ id: 'no result', status: 'FAILURE' }];
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Check[];
};
