import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import { HangingTestsReporter } from './hanging-tests-reporter.ts';

// The folder is inside the package, so that a test file in it can resolve Vitest.
const outputFolder = join(import.meta.dirname, '..', 'out-tsc');
mkdirSync(outputFolder, { recursive: true });
const root = mkdtempSync(join(outputFolder, 'hanging-'));
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Runs a test file with this text, which fails, with a time limit of 0.2 s. Returns the lines that the reporter prints.
 */
async function runReporter(file: string, text: string): Promise<string[]> {
  writeFileSync(join(root, file), `import { beforeAll, describe, it } from 'vitest';\n${text}`);
  const printedLines: string[] = [];
  const reporters = [new HangingTestsReporter((line) => printedLines.push(line))];
  const limits = { testTimeout: 200, hookTimeout: 200 };
  const exitCode = process.exitCode;
  const vitest = await startVitest('test', [file], { root, config: false, watch: false, reporters, ...limits });
  await vitest.close();
  // Vitest has set the exit code because of the intended failures.
  process.exitCode = exitCode;
  return printedLines;
}

it('The end of a run lists the tests and hooks that hung, and explains what to do', async () => {
  const neverSettles = 'new Promise(() => {})';
  const text = `
    describe('a server', () => {
      it('answers', () => ${neverSettles});
      it('is wrong', () => { throw new Error('timed out in 200ms'); });
    });
    describe('another server', () => {
      beforeAll(() => ${neverSettles});
      it('answers too', () => {});
    });
  `;
  expect(await runReporter('hangs.test.ts', text)).toEqual([
    'Hanging tests and hooks: 2',
    '  hangs.test.ts > another server',
    '  hangs.test.ts > a server > answers',
    'The time limit only detects hangs: even slow machines do not need more time, and a longer limit does not help.',
    'Run the file alone, with "npx vitest run --mode all FILE", and check why it hangs.',
  ]);
});

it('The end of a run names a file with a hook that hung', async () => {
  const text = `beforeAll(() => new Promise(() => {})); it('runs', () => {});`;
  expect((await runReporter('hook.test.ts', text)).slice(0, 2)).toEqual([
    'Hanging tests and hooks: 1',
    '  hook.test.ts',
  ]);
});

it('The end of a run does not mention hangs if there were none', async () => {
  expect(await runReporter('fails.test.ts', `it('fails', () => { throw new Error('no'); });`)).toEqual([]);
});
