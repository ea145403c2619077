import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { provideInstallation } from './provide-installation.ts';
import type { ToolRun } from './run-tool.ts';

const installation = provideInstallation(beforeAll);
let admin: Credential & { readonly token: string };
beforeAll(async () => {
  await installation.compose();
  admin = (await installation.createAdminToken()) as typeof admin;
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(installation.folder, 'changes-'));
});

type Tool = (...args: readonly string[]) => Promise<ToolRun>;
const runOnStores: Tool = (...args) => installation.runTool(...args);
const runOverHttp: Tool = (...args) =>
  installation.runToolWith(
    { PORTICO_SERVER: installation.api.address, PORTICO_TOKEN: admin.token, DATA_DIR: '/nowhere' },
    ...args,
  );

const write = (name: string, ...paths: readonly string[]): void =>
  writeFileSync(
    join(folder, name),
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: `${name} ${folder}`, version: '1' },
      servers: [{ url: 'https://api.example' }],
      paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'OK' } } } }])),
    }),
  );

const outcomesOf = async (tool: Tool): Promise<readonly string[]> => {
  const { stdout } = await tool('--json', 'import', folder, '--dry-run');
  return (
    (JSON.parse(stdout) as Record<string, readonly { outcome: string }[]>)['taken']?.map(({ outcome }) => outcome) ?? []
  );
};

describe.each([
  { way: 'on the stores', tool: runOnStores },
  { way: 'over HTTP', tool: runOverHttp },
])('an import $way', ({ tool }) => {
  test('shows with --dry-run the changes that callers may notice', async () => {
    write('a.json', '/one', '/two');
    await tool('import', folder);
    write('a.json', '/one');
    const { code, stdout } = await tool('import', folder, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('    1 breaking change, 0 warnings, 0 other changes\n      breaking: GET /two: ');
    expect(stdout).toContain('    0 of 0 callers used these operations in the last 90 days\n');
    const [file] =
      (
        JSON.parse((await tool('--json', 'import', folder, '--dry-run')).stdout) as Record<
          string,
          readonly { comparison: unknown }[]
        >
      )['taken'] ?? [];
    expect(file?.comparison).toMatchObject({
      counts: { breaking: 1, warning: 0 },
      total: 1,
      first: [{ level: 'breaking', method: 'GET', path: '/two' }],
    });
  });

  test('imports nothing with --fail-on if one document has such changes', async () => {
    write('a.json', '/one');
    write('b.json', '/one', '/two');
    await tool('import', folder);
    write('a.json', '/one', '/added');
    write('b.json', '/one');
    for (const options of [[], ['--dry-run']]) {
      const { code, stderr } = await tool('import', folder, '--fail-on', 'breaking', ...options);
      expect(code).toBe(1);
      expect(stderr).toContain('nothing was imported: 1 document with breaking changes (--fail-on breaking)');
    }
    expect(await outcomesOf(tool)).toEqual(['updated', 'updated']);
    write('b.json', '/one', '/two');
    expect((await tool('import', folder, '--fail-on', 'warning')).code).toBe(0);
    expect(await outcomesOf(tool)).toEqual(['unchanged', 'unchanged']);
  });
});
