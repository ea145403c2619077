import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '@portico/test-servers';
import { afterAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

const run = promisify(execFile);
const installation = await createInstallation();
afterAll(() => installation.remove());

/** The shell lines of this chapter, unchanged. */
const linesOf = (chapter: string): string => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const begin = text.indexOf(`## ${chapter}`);
  return /```sh\n(.*?)```/s.exec(text.slice(begin))?.[1] ?? '';
};

const tools = onPath('jq') !== null && onPath('curl') !== null && onPath('bash') !== null;

test.skipIf(!tools)('the first ten minutes work as pasted', async () => {
  const { address } = await installation.start();
  const lines = linesOf('The first ten minutes');
  expect(lines).toContain('http://localhost:3000');
  expect(lines).not.toMatch(/\{[a-z][\w ]*\}/);
  const env = { ...process.env, DATA_DIR: installation.folder };
  const script = lines.replace('http://localhost:3000', address);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env });
  expect(stdout).toMatch(/^created {4}[0-9a-f-]{36} {2}.*\(samples\//m);
  expect(stdout).toContain('0 refused.');
  // The grant, her list, the search, the operation and the metadata, each as jq prints it.
  expect(stdout).toMatch(/"collection_name": ".*Weather/i);
  expect(stdout).toMatch(/"curl": "curl '.*\/forecast\/hourly\?/);
  expect(stdout).toMatch(/"base_url": "https:/);
  expect(stdout).not.toContain('"detail"');

  const team = linesOf('The first day of a team');
  expect(team).toContain('http://localhost:3000');
  const day = await run('bash', ['-euo', 'pipefail', '-c', team.replace('http://localhost:3000', address)], {
    cwd: root,
    env,
  });
  expect(day.stdout).toMatch(/^approved {2}bob@example\.com {2}[0-9a-f-]{36}\.portico_sk_/m);
  expect(day.stdout).toMatch(/^granted {2}group Travel {2}Waymark Maps {2}until 2099-12-31$/m);
  expect(day.stdout).toMatch(/^bob@example\.com +Nimbara Weather +group Travel +until .* \(suspended\)$/m);
  expect(day.stdout).toMatch(/ admin@\S+ +profile\.suspend +profile=bob@example\.com reason=On leave$/m);
});
