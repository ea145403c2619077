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

/** All shell lines of the document, unchanged. */
const lines = [...readFileSync(join(root, 'docs/access.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)]
  .map(([, block = '']) => block)
  .join('');

/** What they are about: two registrations and an API. */
const before = `
for NAME in ada bob; do
  curl -s "$PORTICO/api/profiles/register" -H 'Content-Type: application/json' \\
    -d "{\\"firebase_uid\\": \\"$NAME\\", \\"email\\": \\"$NAME@example.com\\", \\"full_name\\": \\"$NAME\\"}" > /dev/null
done
admin POST /api/collections/ -d '{"name": "Weather API", "description": "Rain", "openapi_spec":
  {"openapi": "3.0.3", "info": {"title": "Weather", "version": "1"}, "paths": {}}}' > /dev/null
`;

const tools = onPath('jq') !== null && onPath('curl') !== null && onPath('bash') !== null;

test.skipIf(!tools)('the lines about access work as pasted', async () => {
  const { address } = await installation.start();
  expect(lines).toContain('http://localhost:3000');
  const [settings = '', ...others] = lines.split(/(?<=^admin\(\).*\n)/m);
  const script = [settings.replace('http://localhost:3000', address), before, ...others].join('\n');
  const env = { ...process.env, DATA_DIR: installation.folder };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env });
  expect(stdout).toMatch(/^ada@example\.com\nbob@example\.com\n/);
  for (const said of ['"approved": 2', '"granted": 2', '"not_found": 2', '"revoked": 1', '"via": "direct"'])
    expect(stdout).toContain(said);
  expect(stdout).toMatch(/^client_id,email,/m);
  expect(stdout).toContain('"expires_at": "2999-06-30T10:00:00.000Z"');
  expect(stdout).toContain('"API credentials rotated"');
  expect(stdout).toMatch(/Z"\nada@example\.com\nnull\n$/);
  expect(stdout).not.toContain('"detail"');
});
