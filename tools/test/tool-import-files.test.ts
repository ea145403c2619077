import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  folder = mkdtempSync(join(installation.folder, 'files-'));
});

const write = (name: string, content: string | Buffer): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};

type Tool = (...args: readonly string[]) => Promise<ToolRun>;
const runOnStores: Tool = (...args) => installation.runTool(...args);
const runOverHttp: Tool = (...args) =>
  installation.runToolWith(
    { PORTICO_SERVER: installation.api.address, PORTICO_TOKEN: admin.token, DATA_DIR: '/nowhere' },
    ...args,
  );

/** Returns the report without ids and without lines about names that the other case has used. */
const linesOf = ({ stdout }: ToolRun): readonly string[] =>
  stdout
    .replace(/[0-9a-f-]{36}/g, 'ID')
    .replaceAll(folder, 'FOLDER')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('this name is already taken'));

const readText = async (name: string, query = ''): Promise<string> => {
  const collections = await installation.api.request<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/');
  const id = collections.find((collection) => collection.name === name)?.id ?? 'none';
  const response = await fetch(`${installation.api.address}/api/collections/${id}/openapi.json${query}`, {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
  return response.text();
};

const yamlOf = (title: string): string =>
  `openapi: 3.0.3\ninfo: {title: ${title}, version: 1.10}\nservers: [{url: "https://api.example"}]\npaths: {}\n`;
const jsonOf = (title: string): string =>
  `{"openapi":"3.0.3","info":{"title":"${title}","version":1.10},"servers":[{"url":"https://api.example"}],"paths":{}}`;

describe.each([
  { way: 'on the stores', tool: runOnStores, otherTool: runOverHttp },
  { way: 'over HTTP', tool: runOverHttp, otherTool: runOnStores },
])('an import $way', ({ way, tool, otherTool }) => {
  const titleOf = (title: string): string => `${title} ${way}`;

  test('finds the documents in a folder by their content', async () => {
    write('bom.yaml', `\ufeff${yamlOf(titleOf('Mark'))}`);
    write(
      'flow.YAML',
      `{openapi: 3.0.3, info: {title: ${titleOf('Flow')}, version: "1"}, servers: [{url: "https://a.example"}], paths: {}}`,
    );
    write('json-in.yml', jsonOf(titleOf('Json')));
    write('utf16.json', Buffer.from(yamlOf(titleOf('Wide')), 'utf16le'));
    write('NAMELESS', yamlOf(titleOf('Nameless')));
    write('openapi.txt', jsonOf(titleOf('Text')));
    write('README.md', `# An API\n\n    ${yamlOf('Example')}`);
    write('node_modules/a/api.txt', yamlOf('Not mine'));
    write('compose.yaml', 'services: {}');
    write('template.yaml', 'a: {{ b }}: c');
    write('broken.yaml', 'openapi: 3.0.3\ninfo: a: b');
    write('short.yaml', 'openapi: 3.1');
    const run = await tool('import', folder);
    expect([run.code, run.stderr]).toEqual([1, expect.not.stringContaining('portico:')]);
    expect(linesOf(run)).toEqual([
      `created    ID  ${titleOf('Nameless')}  (FOLDER/NAMELESS)  1 violation`,
      `created    ID  ${titleOf('Mark')}  (FOLDER/bom.yaml)  1 violation`,
      expect.stringMatching(/^refused {4}FOLDER\/broken\.yaml: not valid YAML: .* line 2/),
      'skipped    FOLDER/compose.yaml: no OpenAPI document',
      `created    ID  ${titleOf('Flow')}  (FOLDER/flow.YAML)`,
      `created    ID  ${titleOf('Json')}  (FOLDER/json-in.yml)  1 violation`,
      `created    ID  ${titleOf('Text')}  (FOLDER/openapi.txt)  1 violation`,
      expect.stringMatching(/^refused {4}FOLDER\/short\.yaml: openapi must be a version .*3\.1 \(a number/),
      expect.stringMatching(/^skipped {4}FOLDER\/template\.yaml: no OpenAPI document: not valid YAML/),
      `created    ID  ${titleOf('Wide')}  (FOLDER/utf16.json)  1 violation`,
      '6 created, 0 updated, 0 unchanged, 2 skipped, 2 refused.',
      '5 documents with violations of the official schema: --explain shows them.',
    ]);
    expect(await readText(titleOf('Wide'))).toBe(jsonOf(titleOf('Wide')));
  });

  test('fails if a folder or a pattern leads to no document, and imports the others', async () => {
    write('empty/compose.yaml', 'services: {}');
    write('empty/notes.md', 'openapi: b: c');
    write('full/api.yaml', yamlOf(titleOf('Full')));
    const empty = await tool('import', join(folder, 'empty'));
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('empty: contains no OpenAPI document')]);
    expect(linesOf(empty).at(-1)).toBe('0 created, 0 updated, 0 unchanged, 1 skipped, 0 refused.');
    const mixed = await tool('import', join(folder, 'full'), join(folder, 'empty', '*.yaml'));
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining('*.yaml: contains no OpenAPI document')]);
    expect(linesOf(mixed).at(-2)).toBe('1 created, 0 updated, 0 unchanged, 1 skipped, 0 refused.');
    expect((await tool('import', join(folder, 'full'))).code).toBe(0);
  });

  test('converts Swagger 2.0, and both ways of importing give the same result', async () => {
    const swagger = `{"swagger":"2.0","info":{"title":"${titleOf('Old')}","version":"1"},"host":"old.example","paths":{},"x-a":1.10}`;
    const file = write('old.json', swagger);
    const options = ['--source', way, '--base', folder, file] as const;
    expect(linesOf(await tool('import', ...options))[0]).toBe(
      `created    ID  ${titleOf('Old')}  (FOLDER/old.json)  converted from Swagger 2.0`,
    );
    expect(await readText(titleOf('Old'), '?original=true')).toBe(swagger);
    expect(await readText(titleOf('Old'))).toMatch(
      /^\{"openapi":"3\.0\.4",.*"x-a":1\.10,"servers":\[\{"url":"http:\/\/old\.example"\}\]\}$/,
    );
    for (const run of [tool, otherTool])
      expect(linesOf(await run('import', ...options))[0]).toMatch(/^0 created, 0 updated, 1 unchanged/);
    expect(JSON.parse((await tool('--json', 'import', ...options, '--dry-run')).stdout)).toMatchObject({
      taken: [{ outcome: 'unchanged', converted_from: '2.0', notices: [], changes: { document: false } }],
    });
  });

  test('includes the parts of other files in the folder, and names the references that lead elsewhere', async () => {
    write('outside.yaml', 'type: string');
    write(
      'apis/parts/a.yaml',
      'get: {parameters: [{name: v, in: query, schema: {enum: [1.0, 1.10]}}], responses: {"200": {description: It}}}',
    );
    write(
      'apis/api.yaml',
      yamlOf(titleOf('Split')).replace(
        'paths: {}',
        'paths:\n  /a: {$ref: parts/a.yaml}\n  /b: {$ref: ../outside.yaml}',
      ),
    );
    const options = ['--source', way, '--base', folder, join(folder, 'apis')] as const;
    const run = await tool('import', ...options);
    expect(run.code).toBe(0);
    expect(linesOf(run)).toEqual([
      `created    ID  ${titleOf('Split')}  (FOLDER/apis/api.yaml)  1 violation`,
      "    warning: /paths/~1b  1 reference leads out of the document and is not followed: '../outside.yaml'; " +
        '1 operation or path has no description here: /b',
      "    warning: (the document)  the reference to '../outside.yaml' was left: it is outside of the folder FOLDER/apis, " +
        'so it was not read',
      'skipped    FOLDER/apis/parts/a.yaml: no OpenAPI document',
      '1 created, 0 updated, 0 unchanged, 1 skipped, 0 refused.',
      '1 document with violations of the official schema: --explain shows them.',
    ]);
    expect(await readText(titleOf('Split'))).toContain('"schema":{"enum":[1.0,1.10]}');
    for (const repeat of [tool, otherTool])
      expect(linesOf(await repeat('import', ...options))[1]).toMatch(/^0 created, 0 updated, 1 unchanged/);
    expect(linesOf(await tool('import', ...options, '--name', 'x'))).toEqual([]);
  });

  test('with --name takes the one document of a folder that also has other files', async () => {
    write('api.yaml', yamlOf('Any'));
    write('README.md', 'openapi: b: c');
    const run = await tool('import', folder, '--name', titleOf('Single'));
    expect([run.code, linesOf(run)[0]]).toEqual([
      0,
      `created    ID  ${titleOf('Single')}  (FOLDER/api.yaml)  1 violation`,
    ]);
  });
});
