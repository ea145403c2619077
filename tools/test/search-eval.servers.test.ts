import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startFakeOllama, createTemporaryFolder } from '@portico/test-servers';
import { afterAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';

const folder = createTemporaryFolder(afterAll);

const corpus = join(folder, 'corpus.jsonl');
const queries = join(folder, 'queries.json');
const apis = [
  { id: 'w', name: 'Weather', description: 'Forecasts of rain and snow' },
  { id: 'p', name: 'Payments', description: 'Charge credit cards' },
  { id: 'm', name: 'Mail' },
];
writeFileSync(corpus, apis.map((api) => JSON.stringify(api)).join('\n'));
writeFileSync(
  queries,
  JSON.stringify([
    { id: '1', query: 'forecasts of snow', kind: 'lexical', relevant: { w: 2 } },
    { id: '2', query: 'mail', kind: 'name', relevant: { m: 2 } },
  ]),
);

const evaluate = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
  const command = ['-C', '@portico/source', 'tools/src/search-eval/main.ts', ...args];
  const env = { PATH: process.env.PATH, ...variables };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: root, env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

const corpusOptions = ['--corpus', corpus, '--queries', queries];

test('your own corpus is searched through the service, and the output is the same each time', async () => {
  const [firstRun, secondRun] = [await evaluate(corpusOptions), await evaluate(corpusOptions)];
  expect(firstRun).toMatchObject({ code: 0 });
  expect(firstRun.stdout).toMatch(/\| embedder, portico-\S+ \| 1\.000 \(1\.00–1\.00\)/);
  expect(secondRun.stdout).toBe(firstRun.stdout);
});

test('with OLLAMA_URL, its model is evaluated, and no other variable of the environment is used', async () => {
  const ollama = await startFakeOllama();
  try {
    const variables = { OLLAMA_URL: ollama.url, DATA_DIR: '/nonexistent', DATABASE_URL: 'postgresql://127.0.0.1:1/x' };
    const { code, stdout, stderr } = await evaluate([...corpusOptions, '--json'], variables);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { collections } = JSON.parse(stdout) as {
      collections: { model: string; board: { rows: { key: string }[] } };
    };
    expect(collections.model).toContain('nomic-embed-text');
    expect(collections.board.rows.map(({ key }) => key)).toEqual(['embedder', 'bm25']);
    expect((await evaluate(['--check'], variables)).code).toBe(2);
  } finally {
    await ollama.close();
  }
});

test('an invalid file is reported with its line, before anything starts', async () => {
  const invalidFile = join(folder, 'bad.jsonl');
  writeFileSync(invalidFile, '{"id": "a", "name": "Weather"}\n{"id": "a", "name": "Mail"}\n');
  const { code, stdout, stderr } = await evaluate(['--corpus', invalidFile, '--queries', queries]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(`search:eval: ${invalidFile}, line 2: an earlier record already has the id "a"\n`);
});

test('help is one page, and an unknown option is rejected', async () => {
  expect(await evaluate(['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--operations DIR') as string,
  });
  expect((await evaluate(['--colour'])).code).toBe(2);
});
