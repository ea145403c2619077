import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { skipUnlessRequired, findFreePort, findOnPath, createTemporaryFolder } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPages, shellBlocksOf, type Page } from '../src/documents/markdown.ts';
import { root } from '../src/service-process.ts';

/** Shell blocks that need more than this machine has, with their requirements. All other blocks run here. */
const requirements: readonly (readonly [RegExp, string])[] = [
  [/\bdocker /, 'a Docker engine that can pull images'],
  [/portico\.example\b/, 'a server with its own host name'],
  [/^npm ci\b/m, 'the registry: .ci/run installs in a clean clone, and runs the demo'],
];

const providers = ['README', 'auth0', 'cognito', 'entra', 'firebase', 'google', 'keycloak', 'okta'];

/** Pages on which all commands need more than this machine has. */
const skippedPages: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'the registry, as above',
  'docs/calls.md': 'the API of an example, and its credential',
  'docs/changes.md': 'an API with several revisions',
  'docs/webhooks.md': 'a receiver of events',
  'docs/agents.md': "a vendor's agent; documented-agents.test.ts runs the programs",
  ...Object.fromEntries(
    providers.map((name) => [`docs/identity-providers/${name}.md`, 'an account at the identity provider']),
  ),
  'docs/operations/install.md': 'a Docker engine that can pull images',
  'docs/operations/keys.md': 'a Docker engine that can pull images',
  'docs/operations/scaling.md': 'several machines',
  'tools/embedder/README.md': 'PyTorch, and texts for training',
};

/** The expected output of the commands on each page, the first time they run. */
const expectedOutput: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /^approved +alice@example\.com +\S+\.portico_sk_/m,
    /^granted +alice@example\.com +Nimbara Weather$/m,
    /"collection_name": "Nimbara Weather"/,
    /^Nimbara Weather: Weather forecast hour by hour/m,
    /^curl 'https:\/\/api\.nimbara\.example\/v2\/forecast\/hourly\?/m,
    /\/console\/#code=/,
  ],
  'docs/access.md': [
    /^approved {2}bob@example\.com {2}[0-9a-f-]{36}\.portico_sk_/m,
    /^granted {2}group Travel {2}Waymark Maps {2}until 2099-12-31$/m,
    /^bob@example\.com +Nimbara Weather +group Travel +until .* \(suspended\)$/m,
    / profile\.suspend +profile=bob@example\.com reason=On leave$/m,
    /"granted": 4/,
    /"expires_at": ?"2999-06-30T10:00:00.000Z"/,
    /^client_id,email,/m,
    /"API credentials rotated"/,
    /^\{"collection_name":"Babbelry Translation","via":"direct","group_name":null\}$/m,
    /Z"\nada@example\.com\nbob@example\.com\nnull\n/,
  ],
  'docs/identity-providers/local.md': [/\/console\/#code=/, /^eyJ/m],
  'docs/lifecycle.md': [
    /^set {2}Waymark Maps {2}deprecated since .* until 2030-07-01 00:00 UTC$/m,
    /^lifecycle +deprecated since /m,
    /^set {2}Waymark Maps {2}owned by the group Map team$/m,
    /^set {2}Waymark Maps {2}public, maps$/m,
  ],
  'docs/operations/backup-and-upgrade.md': [/portico-\d{4}-[\d-]+\.tar/],
  'docs/operations/monitoring.md': [/"status": ?"healthy"/, /^portico_build_info\{/m, /^alice@example\.com +\d/m],
  'docs/operations/troubleshooting.md': [/^ok {7}configuration: /m, /^Nothing is wrong\.$/m],
  'docs/publishing.md': [
    /nothing was written/,
    /^0 created, 0 updated, 24 unchanged/m,
    /^ {2}"outcome": "/m,
    /CRM to remove/,
  ],
  'docs/search.md': [/^\{"collection_name":"Nimbara Weather","similarity_score":/m, /nDCG@10/],
  'docs/service-accounts.md': [/^example-pipeline /m, /^Nimbara Weather$/m],
  'samples/README.md': [/^0 created, 0 updated, 24 unchanged/m],
  'docs/requests.md': [/"access": ?"none"/, /"status": "pending"/, /"status": "approved"/],
};

const pages = readPages().filter(({ path }) => !path.startsWith('docs/adr/'));
const canRun = (block: string): boolean => !requirements.some(([pattern]) => pattern.test(block));
const linesOf = (page: Page): string => shellBlocksOf(page).filter(canRun).join('\n');
const runnablePages = pages.filter((page) => linesOf(page) !== '');

/** A folder with links to the files of the checkout, like a clone after `npm ci`. */
const checkout = createTemporaryFolder(afterAll);
for (const name of readdirSync(root))
  if (!['data', '.env', '.git'].includes(name)) symlinkSync(join(root, name), join(checkout, name));

/** Replaces the line `npm start` for the first terminal: starts the service, and stops it when the shell exits. */
const startScript = `
npm start > "$HOME/service.log" 2>&1 & service=$!
trap 'kill $service; wait $service || true' EXIT
until curl -sf http://localhost:$PORT/health > "$HOME/health"; do
  kill -0 $service || { cat "$HOME/service.log"; exit 1; }
  sleep 0.2
done
`;

/**
 * Runs these lines as if they were pasted into a shell, and stops at the first failure. Returns the standard output.
 */
const paste = async (lines: string, dataFolder: string): Promise<string> => {
  const home = createTemporaryFolder(onTestFinished);
  const env = {
    PATH: `${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    DATA_DIR: dataFolder,
    PORT: String(await findFreePort()),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines.replace(/^npm start$/m, startScript)], {
    cwd: checkout,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    if (shell.exitCode === null && shell.pid) process.kill(-shell.pid, 'SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(shell, 'close')) as [number | null];
  expect(code, `${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`).toBe(0);
  return stdout;
};

const missingPrograms = ['bash', 'curl', 'jq'].filter((name) => findOnPath(name) === null);
if (missingPrograms.length > 0) skipUnlessRequired(missingPrograms.join(', '), `install ${missingPrograms.join(' ')}`);

describe.skipIf(missingPrograms.length > 0)('pasted in order with an empty data folder', () => {
  const readmeData = createTemporaryFolder(afterAll);

  test('the README works twice', async () => {
    const readme = runnablePages.find(({ path }) => path === 'README.md');
    const lines = readme ? linesOf(readme) : '';
    const firstOutput = await paste(lines, readmeData);
    for (const pattern of expectedOutput['README.md'] ?? []) expect(firstOutput).toMatch(pattern);
    expect(firstOutput).not.toContain('"detail"');
    const secondOutput = await paste(lines, readmeData);
    expect(secondOutput).toMatch(/^already_approved +alice@example\.com$/m);
    expect(secondOutput).toMatch(/^Nimbara Weather: Weather forecast hour by hour/m);
  });

  test.each(runnablePages.filter(({ path }) => path !== 'README.md').map((page) => [page.path, page] as const))(
    '%s works after the README',
    async (path, page) => {
      const data = createTemporaryFolder(onTestFinished);
      cpSync(readmeData, data, { recursive: true });
      const output = await paste(`npm start\n${linesOf(page)}`, data);
      expect(expectedOutput[path], 'List the expected output of this page.').toBeDefined();
      for (const pattern of expectedOutput[path] ?? []) expect(output).toMatch(pattern);
      expect(output).not.toMatch(/"detail"|"outcome": ?"not_found"/);
    },
  );
});

test('every page that is not run is listed, and no requirement is obsolete', () => {
  const blocks = pages.flatMap(shellBlocksOf);
  expect(requirements.filter(([pattern]) => !blocks.some((block) => pattern.test(block)))).toEqual([]);
  const hasCommands = ({ text }: Page): boolean => /^ *```(sh|text|ini|yaml)$/m.test(text);
  const otherPages = pages.filter((page) => hasCommands(page) && !runnablePages.includes(page)).map(({ path }) => path);
  expect(otherPages).toEqual(Object.keys(skippedPages).toSorted());
  expect(runnablePages.map(({ path }) => path).toSorted()).toEqual(Object.keys(expectedOutput).toSorted());
});
