import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import { SkippedTestsReporter } from './skipped-tests-reporter.ts';

// The folder is inside the package, so that a test file in it can resolve Vitest.
const outputFolder = join(import.meta.dirname, '..', 'out-tsc');
mkdirSync(outputFolder, { recursive: true });
const root = mkdtempSync(join(outputFolder, 'skipped-'));
afterAll(() => rmSync(root, { recursive: true }));

const source = `
  import { describe, it } from 'vitest';
  describe.skipIf(true)('a server that is not there', () => {
    it('answers', () => {});
    it('answers again', () => {});
  });
  it('runs', () => {});
  it('finds out by itself', (context) => context.skip('no engine runs here'));
  it.todo('is still to be written');
`;

/** Runs a test file with this text. Returns the lines that the reporter prints at the end. */
async function runReporter(file: string, text: string, options: { testNamePattern?: string } = {}): Promise<string[]> {
  writeFileSync(join(root, file), text);
  const printedLines: string[] = [];
  const reporters = [new SkippedTestsReporter((line) => printedLines.push(line))];
  const vitest = await startVitest('test', [file], { root, config: false, watch: false, reporters, ...options });
  await vitest.close();
  return printedLines;
}

it('The end of a run reports the number of skipped tests and lists each with its file and its reason', async () => {
  expect(await runReporter('some.test.ts', source)).toEqual([
    'Skipped tests: 4',
    '  some.test.ts',
    '    a server that is not there > answers',
    '    a server that is not there > answers again',
    '    finds out by itself (no engine runs here)',
    '    is still to be written (to do)',
  ]);
});

it('The end of a run reports that no test was skipped', async () => {
  const text = `import { it } from 'vitest'; it('runs', () => {});`;
  expect(await runReporter('none.test.ts', text)).toEqual(['Skipped tests: 0']);
});

it('The end of a run by name does not list tests that were left out on purpose', async () => {
  expect(await runReporter('named.test.ts', source, { testNamePattern: 'runs' })).toEqual([
    'Skipped or left out by name: 4',
  ]);
});
