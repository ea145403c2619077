import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
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
  folder = mkdtempSync(join(installation.folder, 'documents-'));
});

const servers = [{ url: 'https://api.example' }];
const document = (title: string, description = '', paths = {}) =>
  JSON.stringify({ openapi: '3.0.3', info: { title, description, version: '1' }, servers, paths });
const nonconformingDocument = JSON.stringify({ openapi: '3.0.3', info: { title: 'Departing' }, servers, paths: {} });
const getOperation = { get: { responses: { 200: { description: 'It' } } } };

const write = (name: string, content: string): string => {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

type Tool = (...args: readonly string[]) => Promise<ToolRun>;

const runOnStores: Tool = (...args) => installation.runTool(...args);
/** Runs the tool as on another machine, where a pipeline may have set these variables. */
const runOverHttp = (...args: readonly string[]) => runOverHttpWith({}, ...args);
const runOverHttpWith = (variables: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  installation.runToolWith(
    { PORTICO_SERVER: installation.api.address, PORTICO_TOKEN: admin.token, DATA_DIR: '/nowhere', ...variables },
    ...args,
  );

interface ImportedDocument {
  readonly id: string;
  readonly name: string;
  readonly outcome: string;
  readonly description_derived: boolean;
}

interface Summary extends Readonly<Record<'taken', readonly ImportedDocument[]>> {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

const summaryOf = ({ code, stdout, stderr }: ToolRun): Summary & { readonly code: number } => {
  if (!stdout) throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Summary), code };
};

/** Splits the output into lines, without ids and without warnings about names that the other case has used. */
const linesOf = (stdout: string): readonly string[] =>
  stdout
    .replace(/[0-9a-f-]{36}/g, 'ID')
    .split('\n')
    .filter((line) => !line.startsWith('    this name is already taken'));

const descriptionOf = async (name: string): Promise<string | undefined> => {
  const collections = await installation.api.request<{ name: string; description: string }[]>(
    admin,
    'GET',
    '/api/collections/',
  );
  return collections.find((collection) => collection.name === name)?.description;
};

/** Returns all rows that an import writes. */
const readRows = (): string => {
  const database = new Database(join(installation.folder, 'portico.sqlite'), { readonly: true });
  try {
    return JSON.stringify(
      [
        'select * from collections order by id',
        'select collection_id, crc32, bytes from documents order by 1',
        'select collection_id, key from operations order by 1, 2',
        'select id, message from audit_entries',
        'select catalog from epochs',
      ].map((statement) => database.prepare(statement).all()),
    );
  } finally {
    database.close();
  }
};

describe.each([
  { way: 'on the stores', tool: runOnStores, otherTool: runOverHttp },
  { way: 'over HTTP', tool: runOverHttp, otherTool: runOnStores },
])('an import $way', ({ way, tool, otherTool }) => {
  const runImport = async (...args: readonly string[]) => summaryOf(await tool('--json', 'import', ...args));

  test('a warning reports that a name is already taken, with the id of the first collection', async () => {
    const firstFile = write('first/a.json', document('Twice named'));
    const secondFile = write('second/b.json', document('Twice named'));
    const [importedDocument] = summaryOf(await tool('--json', 'import', firstFile)).taken;
    const warning = `this name is already taken by ${importedDocument?.id}`;
    expect((await tool('import', '--dry-run', secondFile)).stdout).toContain(warning);
    expect((await tool('import', secondFile)).stdout).toContain(warning);
    expect((await tool('import', secondFile)).stdout).not.toContain(warning);
    const collections = JSON.parse((await tool('--json', 'collections', 'list', 'twice')).stdout) as { id: string }[];
    expect(collections.map(({ id }) => id)).toContain(importedDocument?.id);
    const lines = (await tool('collections', 'list', 'twice')).stdout.trim().split('\n');
    expect(lines).toHaveLength(collections.length);
    expect(lines[0]).toMatch(/^[0-9a-f-]{36} {2}Twice named {2}created \d{4}-\d\d-\d\d {2}changed \d{4}-\d\d-\d\d$/);
    const ids = collections.map(({ id }) => id);
    const deletion = await tool('collections', 'delete', ...ids, 'no-id');
    expect([deletion.code, deletion.stdout]).toEqual([
      1,
      [...ids.map((id) => `deleted  ${id}\n`), 'refused  no-id: Collection not found\n'].join(''),
    ]);
    expect((await tool('collections', 'list', 'twice')).stdout).toBe('No collection has this text in its name.\n');
  });

  test('reports the outcome of each file, in the same words on the stores and over HTTP', async () => {
    write('good.json', document(`Good\u202eone ${way}\u0007`, 'Two\r\nlines\u001b[2J'));
    write(
      'deep/er/good.yaml',
      'openapi: 3.1.0\ninfo: {title: Good too, version: "1.10"}\nservers: [url: https://api.example]\npaths: {}\n' +
        'x-big: 12345678901234567890\n',
    );
    write('departing.json', nonconformingDocument);
    write('list.json', '[{"openapi": "3.0.3"}]');
    write('package.json', '{"name": "x", "config": {"openapi": "3.0.3"}}');
    write('notes.txt', 'not looked at');
    write('broken.json', '{"openapi": "3.0.3",\n "info": {"title": "x"},\n "paths": }');
    write('old.json', '{"swagger": "1.2", "info": {"title": "x", "version": "1"}, "paths": {}}');
    const firstRun = await tool('import', folder);
    expect([firstRun.code, firstRun.stderr]).toEqual([1, expect.not.stringContaining(admin.token)]);
    expect(linesOf(firstRun.stdout)).toEqual([
      expect.stringMatching(`^refused    ${folder}/broken.json: .*line 3`),
      `created    ID  Good too  (${folder}/deep/er/good.yaml)`,
      `created    ID  Departing  (${folder}/departing.json)  1 violation`,
      `created    ID  Good one ${way}  (${folder}/good.json)`,
      `skipped    ${folder}/list.json: no OpenAPI document`,
      expect.stringMatching(`^refused    ${folder}/old.json: .*Swagger "1\\.2" is not supported`),
      `skipped    ${folder}/package.json: no OpenAPI document`,
      '3 created, 0 updated, 0 unchanged, 2 skipped, 2 refused.',
      '1 document with violations of the official schema: --explain shows them.',
      '',
    ]);
    expect(await descriptionOf(`Good one ${way}`)).toBe('Two\nlines[2J');

    // Directly on the stores and over HTTP, the same paths refer to the same collections.
    const [verboseOptions, explainOptions, jsonOptions] = [['--verbose'], ['--explain'], ['--json', '--verbose']];
    for (const options of [verboseOptions, explainOptions, jsonOptions]) {
      const { code, stdout } = await tool('import', folder, ...(options ?? []));
      expect(await otherTool('import', folder, ...(options ?? []))).toMatchObject({ code, stdout });
      expect(code).toBe(1);
      expect(stdout).toMatch(/0 created, 0 updated, 3 unchanged|"unchanged": 3/);
      if (options === explainOptions) expect(stdout).toMatch(/^unchanged .* {2}1 violation\n {4}\/info {2}.*version/m);
      if (options === jsonOptions)
        expect(JSON.parse(stdout)).toMatchObject({
          skipped_files: [{ reason: 'no OpenAPI document' }, { reason: 'no OpenAPI document' }],
          taken: expect.arrayContaining([
            expect.objectContaining({
              name: 'Departing',
              warnings: 1,
              departures: [expect.objectContaining({ pointer: '/info' })],
            }),
          ]) as unknown,
        });
    }
  });

  test('rejects violations of the official schema with --strict', async () => {
    const { code, stdout } = await tool('import', write('departing.json', nonconformingDocument), '--strict');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^refused .*: openapi_spec\/info .*version/)]);
  });

  test('derives a missing description from the words of the document, and reports that', async () => {
    const paths = { '/v1/bridges/{id}/tolls': { get: { summary: 'Reads a toll', ...getOperation.get } } };
    write('roads.json', document(`Roads ${way}`, '', paths));
    write('described.json', document('Described', 'In its own words'));
    const { taken: documents } = await runImport(folder);
    expect(documents.map(({ name, description_derived }) => [name, description_derived])).toEqual([
      ['Described', false],
      [`Roads ${way}`, true],
    ]);
    expect(await descriptionOf(`Roads ${way}`)).toBe('Bridges, tolls. Reads a toll.');
    const secondRun = await tool('import', folder, '--verbose');
    expect(secondRun.stdout).toMatch(/^unchanged .* {2}Roads .* {2}\(.*roads\.json\) {2}description derived/m);
  });

  test('follows a link that is an argument, but not a link inside a folder', async () => {
    write('one/a.json', document('A'));
    const linkedFile = write('elsewhere/b.json', document('B'));
    const subfolder = join(folder, 'one');
    symlinkSync('..', join(subfolder, 'loop'));
    symlinkSync(join(linkedFile, '..'), join(subfolder, 'other'));
    expect(await runImport(subfolder)).toMatchObject({ code: 0, created: 1 });
    expect(await runImport(join(subfolder, '**/*.json'))).toMatchObject({ created: 0, unchanged: 1 });
    const link = join(folder, 'link.json');
    symlinkSync(linkedFile, link);
    expect(await runImport(link)).toMatchObject({ created: 1 });
    expect(await runImport(join(subfolder, 'other'))).toMatchObject({ created: 1 });
  });

  test('updates instead of duplicating, also by glob, by file, and from a copy with --base', async () => {
    const file = write('a.json', document('First'));
    write('b.json', document('Second'));
    expect(await runImport(folder)).toMatchObject({ code: 0, created: 2 });
    expect(await runImport(join(folder, '*.json'))).toMatchObject({ created: 0, unchanged: 2 });
    write('a.json', document('First, reworded'));
    expect(await runImport(file, file)).toMatchObject({ created: 0, updated: 1, unchanged: 0 });

    const basedFile = write('based/c.json', document('Third'));
    const baseOptions = ['--base', join(folder, 'based'), '--source', way] as const;
    expect(await runImport(basedFile, ...baseOptions)).toMatchObject({ created: 1 });
    const copiedFile = write('copy/c.json', document('Third'));
    const copyRun = await runImport(copiedFile, '--base', join(folder, 'copy'), '--source', way);
    expect(copyRun).toMatchObject({ created: 0, unchanged: 1 });
  });

  test('that fails halfway reports the files that it has imported', async () => {
    const database = new Database(join(installation.folder, 'portico.sqlite'));
    const failingTrigger = `create trigger failing before insert on collections when new.name like 'Failing%'
      begin select raise(fail, 'it is full'); end`;
    write('a.json', document(`Whole ${way}`));
    write('b.json', document(`Failing ${way}`));
    write('c.json', document(`Left ${way}`));
    database.exec(failingTrigger);
    try {
      const firstRun = await tool('import', folder);
      expect([firstRun.code, firstRun.stderr]).toEqual([1, expect.stringMatching(/it is full|Internal server error/)]);
      expect(linesOf(firstRun.stdout)).toEqual([
        `created    ID  Whole ${way}  (${folder}/a.json)`,
        'Interrupted, 2 of 3 files left. So far:',
        '1 created, 0 updated, 0 unchanged, 0 skipped, 0 refused.',
        '',
      ]);
      expect(await runImport(folder)).toMatchObject({
        code: 1,
        interrupted: true,
        files_left: 2,
        unchanged: 1,
        taken: [{ name: `Whole ${way}`, outcome: 'unchanged' }],
      });
    } finally {
      database.exec('drop trigger failing');
      database.close();
    }
    expect(await runImport(folder)).toMatchObject({ code: 0, created: 2, unchanged: 1 });
  });

  test('reports with --dry-run the changes that it would make, and writes nothing', async () => {
    const file = write('a.json', document('Dry', 'About Dry', { '/a': getOperation, '/b': getOperation }));
    await tool('import', file);
    write('a.json', document('Drier', 'About Drier', { '/b': getOperation, '/c': getOperation }));
    write('new.json', document('New', 'About New', { '/n': getOperation }));
    write('broken.json', '{"openapi": ');
    const before = readRows();
    const { code, stdout } = await tool('import', folder, '--dry-run');
    expect(code).toBe(1);
    expect(linesOf(stdout)).toEqual([
      `updated    ID  Drier  (${folder}/a.json)`,
      '    name: "Dry" becomes "Drier"',
      '    description: "About Dry" becomes "About Drier"',
      '    document: its text changes',
      '    1 operation added',
      '      + GET /c',
      '    1 operation removed',
      '      - GET /a',
      '    1 breaking change, 0 warnings, 1 other change',
      '      breaking: GET /a: The operation was removed.',
      '    0 of 0 callers used these operations in the last 90 days',
      expect.stringMatching(`^refused    ${folder}/broken.json: `),
      `created    (new)  New  (${folder}/new.json)`,
      '    1 operation in it',
      'Dry run: nothing was written. The result would be 1 created, 1 updated, 0 unchanged, 0 skipped, 1 refused.',
      '',
    ]);
    expect(await runImport(file, '--dry-run')).toMatchObject({
      code: 0,
      dry_run: true,
      updated: 1,
      taken: [{ changes: { operations_added: { total: 1, first: ['GET /c'] } } }],
    });
    expect(readRows()).toBe(before);
    // The comparison does detect the writes of an import.
    await tool('import', file);
    expect(readRows()).not.toBe(before);
  });

  test('publishes a document as the collection with the name of --name', async () => {
    const file = write('named.json', document('Its title'));
    const args = [file, '--name', `Chosen ${way}`] as const;
    const [firstRun, secondRun] = [await runImport(...args), await runImport(...args)];
    expect([firstRun.taken[0]?.outcome, secondRun.taken[0]?.outcome]).toEqual(['created', 'unchanged']);
    expect(secondRun.taken[0]?.id).toBe(firstRun.taken[0]?.id);
    const otherRun = summaryOf(await otherTool('--json', 'import', ...args));
    expect(otherRun.taken[0]).toMatchObject({ outcome: 'unchanged', id: firstRun.taken[0]?.id });
    write('second.json', document('Second'));
    expect(await tool('import', folder, '--name', 'Chosen')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--name is for one document, but there are 2') as string,
    });
  });

  test('is visible in the next request to a running service, and soon in its searches', async () => {
    const { api } = installation;
    const name = `Weather ${way}`;
    await tool('import', write('weather.json', document(name, `Forecasts of rain and wind ${way}`)));
    const collections = await api.request<{ name: string }[]>(admin, 'GET', '/api/collections/');
    expect(collections.map((collection) => collection.name)).toContain(name);
    const query = `rain and wind ${way}`;
    await expect
      .poll(() => api.request<object[]>(admin, 'POST', '/api/vector/search', { query }))
      .toContainEqual(expect.objectContaining({ collection_name: name }));
  });
});

test('the import keys of a source are the same on every machine, and differ from those of other sources', async () => {
  const [originalFile, copiedFile] = [
    write('one/openapi.json', document('Mine')),
    write('two/openapi.json', document('Mine')),
  ];
  const importFrom = async (variables: Readonly<Record<string, string>>, file: string, ...options: readonly string[]) =>
    summaryOf(await runOverHttpWith(variables, '--json', 'import', file, '--base', join(file, '..'), ...options))
      .taken[0]?.outcome;
  expect(await importFrom({ GITHUB_REPOSITORY: 'acme/one' }, originalFile)).toBe('created');
  expect(await importFrom({ GITHUB_REPOSITORY: 'acme/one' }, copiedFile)).toBe('unchanged');
  expect(await importFrom({ CI_PROJECT_PATH: 'acme/one' }, copiedFile)).toBe('unchanged');
  expect(await importFrom({ GITHUB_REPOSITORY: 'acme/two' }, copiedFile)).toBe('created');
  expect(await importFrom({}, copiedFile, '--source', 'acme/two')).toBe('unchanged');
});

test('an import on the stores records an admin, and over HTTP the caller', async () => {
  const file = write('recorded.json', document('Recorded'));
  expect(await runOnStores('import', file, '--as', 'nobody@example.com')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no admin has the email address nobody@example.com') as string,
  });
  expect(await runOverHttp('import', file, '--as', 'admin@localhost')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--as cannot be used with a server') as string,
  });
  expect(await runOnStores('import', file, '--as', 'ADMIN@localhost')).toMatchObject({ code: 0 });
});
