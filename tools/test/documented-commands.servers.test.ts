import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { absent, freePort, onPath, temporaryFolder } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPages, shellBlocksOf, type Page } from '../src/documents/markdown.ts';
import { root } from '../src/service-process.ts';

/** Shell blocks that need more than this machine has; all others can be pasted. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/\bdocker /, 'a Docker engine that can pull images'],
  [/portico\.example\b/, 'a server at an address of its own'],
  [/^npm ci\b/m, 'the registry: .ci/run installs on a clean clone, and runs the demo'],
];

const providers = ['README', 'auth0', 'cognito', 'entra', 'firebase', 'google', 'keycloak', 'okta'];

/** Pages with something to type, none of which can be run here. */
const needsMore: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'the registry, as above',
  'docs/agents.md': "a vendor's agent; documented-agents.test.ts runs the programs",
  ...Object.fromEntries(
    providers.map((name) => [`docs/identity-providers/${name}.md`, 'an account at the identity provider']),
  ),
  'docs/operations/install.md': 'a Docker engine that can pull images',
  'docs/operations/keys.md': 'a Docker engine that can pull images',
  'docs/operations/scaling.md': 'several machines',
  'tools/embedder/README.md': 'PyTorch, and texts to train from',
};

/** What pages print when their commands do what they say; the first pass of them, in which everything is new. */
const printed: Readonly<Record<string, readonly RegExp[]>> = {
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
const canRun = (block: string): boolean => !elsewhere.some(([pattern]) => pattern.test(block));
const linesOf = (page: Page): string => shellBlocksOf(page).filter(canRun).join('\n');
const run = pages.filter((page) => linesOf(page) !== '');

/** An empty folder in which the files of the checkout appear, as after a clone and `npm ci`. */
const checkout = temporaryFolder(afterAll);
for (const name of readdirSync(root))
  if (!['data', '.env', '.git'].includes(name)) symlinkSync(join(root, name), join(checkout, name));

/** The line `npm start` of a first terminal: the service begins, and ends with the shell. */
const start = `
npm start > "$HOME/service.log" 2>&1 & service=$!
trap 'kill $service; wait $service || true' EXIT
until curl -sf http://localhost:$PORT/health > "$HOME/health"; do
  kill -0 $service || { cat "$HOME/service.log"; exit 1; }
  sleep 0.2
done
`;

/** Runs these lines as somebody who pastes them into a shell, and stops at the first that fails. */
const paste = async (lines: string, data: string): Promise<string> => {
  const home = temporaryFolder(onTestFinished);
  const env = {
    PATH: `${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    DATA_DIR: data,
    PORT: String(await freePort()),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines.replace(/^npm start$/m, start)], {
    cwd: checkout,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    if (shell.exitCode === null && shell.pid) process.kill(-shell.pid, 'SIGKILL');
  });
  let said = '';
  let wrong = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text));
  const [code] = (await once(shell, 'close')) as [number | null];
  expect(code, `${said.slice(-4_000)}\n${wrong.slice(-4_000)}`).toBe(0);
  return said;
};

const missing = ['bash', 'curl', 'jq'].filter((name) => onPath(name) === null);
if (missing.length > 0) absent(missing.join(', '), `install ${missing.join(' ')}`);

describe.skipIf(missing.length > 0)('as pasted, in order, from an empty folder', () => {
  const afterTheReadme = temporaryFolder(afterAll);

  test('the README works, and works again', async () => {
    const readme = run.find(({ path }) => path === 'README.md');
    const lines = readme ? linesOf(readme) : '';
    const first = await paste(lines, afterTheReadme);
    for (const pattern of printed['README.md'] ?? []) expect(first).toMatch(pattern);
    expect(first).not.toContain('"detail"');
    const second = await paste(lines, afterTheReadme);
    expect(second).toMatch(/^already_approved +alice@example\.com$/m);
    expect(second).toMatch(/^Nimbara Weather: Weather forecast hour by hour/m);
  });

  test.each(run.filter(({ path }) => path !== 'README.md').map((page) => [page.path, page] as const))(
    '%s works after the README',
    async (path, page) => {
      const data = temporaryFolder(onTestFinished);
      cpSync(afterTheReadme, data, { recursive: true });
      const said = await paste(`npm start\n${linesOf(page)}`, data);
      expect(printed[path], 'Say what the commands of this page print.').toBeDefined();
      for (const pattern of printed[path] ?? []) expect(said).toMatch(pattern);
      expect(said).not.toMatch(/"detail"|"outcome": ?"not_found"/);
    },
  );
});

test('what is not run is listed, with a reason that still holds', () => {
  const blocks = pages.flatMap(shellBlocksOf);
  expect(elsewhere.filter(([pattern]) => !blocks.some((block) => pattern.test(block)))).toEqual([]);
  const hasSomethingToType = ({ text }: Page): boolean => /^ *```(sh|text|ini|yaml)$/m.test(text);
  const left = pages.filter((page) => hasSomethingToType(page) && !run.includes(page)).map(({ path }) => path);
  expect(left).toEqual(Object.keys(needsMore).toSorted());
  expect(run.map(({ path }) => path).toSorted()).toEqual(Object.keys(printed).toSorted());
});
