import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedVariables, runTool, toolArguments } from './run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-diff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};
const yamlOf = (...paths: readonly string[]): string =>
  [
    'openapi: 3.0.3',
    'info: {title: Tides, version: "1"}',
    'servers: [{url: "https://api.example"}]',
    'paths:',
    ...paths.map((path) => `  ${path}: {get: {responses: {"200": {description: OK}}}}`),
    '',
  ].join('\n');
const [both, one] = [write('both.yaml', yamlOf('/tides', '/moons')), write('one.yaml', yamlOf('/tides'))];

const diff = (...args: readonly string[]) => runTool({}, ['diff', ...args]);

describe('portico diff', () => {
  test('lists the changes between two files, without stores or a server', async () => {
    const { code, stdout, stderr } = await diff(both, one);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toBe('GET /moons');
    expect(stdout).toContain('1 breaking change, 0 warnings, 0 other changes.');
    expect((await diff(one, one)).stdout).toBe('no changes.\n');
  });

  test('exits with 1 if there are changes of the level --fail-on', async () => {
    expect((await diff(both, one, '--fail-on', 'breaking')).code).toBe(1);
    expect((await diff(both, one, '--fail-on', 'warning')).code).toBe(1);
    expect((await diff(one, both, '--fail-on', 'warning')).code).toBe(0);
  });

  test('prints JSON with --json, and writes a report to a file with --output', async () => {
    const { stdout } = await diff(both, one, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ counts: { breaking: 1 }, changes: [{ path: '/moons' }] });
    const output = join(folder, 'report.xml');
    expect((await diff(both, one, '--format', 'junit', '--output', output)).stdout).toBe('');
    expect(readFileSync(output, 'utf8')).toContain('<failure ');
  });

  test('reads standard input', async () => {
    const { stdout } = await runTool({}, ['diff', '-', one], yamlOf('/tides', '/stars'));
    expect(stdout).toContain('GET /stars');
  });

  test('converts Swagger 2.0', async () => {
    const swagger = write(
      'swagger.json',
      '{"swagger":"2.0","info":{"title":"T","version":"1"},"host":"api.example","schemes":["https"],"paths":{"/tides":{"get":{"responses":{"200":{"description":"OK"}}}}}}',
    );
    expect((await diff(swagger, one)).stdout).toBe('no changes.\n');
  });

  test.each([
    { args: ['-', '-'], code: 2, message: 'only one of the documents can be standard input' },
    { args: [one, one, '--json', '--format', 'text'], code: 2, message: 'not both' },
    { args: [one, one, '--server', 'https://x.example'], code: 2, message: 'omit --server' },
    { args: [one, one, '--format', 'html'], code: 2, message: 'Allowed choices' },
    { args: [one, join(folder, 'none.yaml')], code: 1, message: 'no such file' },
    { args: [one, folder], code: 1, message: 'cannot be read (EISDIR)' },
    { args: [one, write('text.yaml', 'hello')], code: 1, message: 'text.yaml: ' },
    { args: [one, one, '--output', join(folder, 'none', 'x')], code: 1, message: 'cannot be written (ENOENT)' },
  ])('rejects $args with $code: $message', async ({ args, code, message }) => {
    const result = await diff(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });
});

describe('portico diff in a Git repository', () => {
  const repository = join(folder, 'repository');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repository });
  beforeAll(() => {
    write('repository/apis/tides.yaml', `${yamlOf('/tides', '/moons')}  /parts: {$ref: "./parts.yaml"}\n`);
    write('repository/apis/parts.yaml', 'get: {responses: {"200": {description: OK}}}\n');
    symlinkSync('/etc/hostname', join(repository, 'apis/link.yaml'));
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'Add an API');
    write('repository/apis/tides.yaml', yamlOf('/tides'));
    git('rm', '-q', '--cached', 'apis/parts.yaml');
    rmSync(join(repository, 'apis/parts.yaml'));
    git('commit', '-q', '-a', '-m', 'Remove operations');
  });
  const diffIn = (folderName: string, args: readonly string[], variables = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...toolArguments, 'diff', ...args], {
      cwd: join(repository, folderName),
      env: { ...inheritedVariables, ...variables },
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };

  test('compares a file of a revision, with the parts in other files of this revision', () => {
    const { code, stdout, stderr } = diffIn('.', ['HEAD~1:apis/tides.yaml', 'apis/tides.yaml']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('GET /moons');
    expect(stdout).toContain('GET /parts');
  });

  test('resolves paths from the root, or with "./" from the current folder', () => {
    expect(diffIn('apis', ['HEAD~1:./tides.yaml', 'HEAD:apis/tides.yaml']).stdout).toContain('2 breaking changes');
  });

  test.each([
    { args: ['HEAD~9:apis/tides.yaml', 'apis/tides.yaml'], message: 'no such revision' },
    { args: ['HEAD:none.yaml', 'apis/tides.yaml'], message: '"none.yaml" is not a file of this revision' },
    { args: ['HEAD:apis', 'apis/tides.yaml'], message: 'is not a file of this revision' },
    { args: ['--', '--output=x:apis/tides.yaml', 'apis/tides.yaml'], message: 'does not start with "-"' },
    { args: ['HEAD:apis/link.yaml', 'apis/tides.yaml'], message: 'link.yaml: ' },
  ])('rejects $args: $message', ({ args, message }) => {
    const result = diffIn('.', args);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(message);
  });

  test('reports that Git or the repository is missing', () => {
    const args = ['HEAD:tides.yaml', 'apis/tides.yaml'];
    expect(diffIn('.', args, { PATH: '/nowhere' }).stderr).toContain('git was not found');
    expect(diffIn('.', args, { GIT_DIR: '/nowhere' }).stderr).toContain('not in a Git repository');
  });
});
