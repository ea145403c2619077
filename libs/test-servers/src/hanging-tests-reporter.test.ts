import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import { HangingTestsReporter } from './hanging-tests-reporter.ts';

// The folder is inside the package, so that a test file in it can resolve Vitest.
const output = join(import.meta.dirname, '..', 'out-tsc');
mkdirSync(output, { recursive: true });
const root = mkdtempSync(join(output, 'hanging-'));
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Runs a test file with this text, which fails, with a time limit of 0.2 s. Returns the lines that the reporter prints.
 */
async function reportFor(file: string, text: string): Promise<string[]> {
  writeFileSync(join(root, file), `import { beforeAll, describe, it } from 'vitest';\n${text}`);
  const printed: string[] = [];
  const reporters = [new HangingTestsReporter((line) => printed.push(line))];
  const limits = { testTimeout: 200, hookTimeout: 200 };
  const exitCode = process.exitCode;
  const vitest = await startVitest('test', [file], { root, config: false, watch: false, reporters, ...limits });
  await vitest.close();
  // Vitest has set the exit code because of the intended failures.
  process.exitCode = exitCode;
  return printed;
}

it('The end of a run lists the tests and hooks that hung, and explains what to do', async () => {
  const never = 'new Promise(() => {})';
  const text = `
    describe('a server', () => {
      it('answers', () => ${never});
      it('is wrong', () => { throw new Error('timed out in 200ms'); });
    });
    describe('another server', () => {
      beforeAll(() => ${never});
      it('answers too', () => {});
    });
  `;
  expect(await reportFor('hangs.test.ts', text)).toEqual([
    'Hanging tests and hooks: 2',
    '  hangs.test.ts > another server',
    '  hangs.test.ts > a server > answers',
    'The time limit is for hangs alone: no machine is too slow for it, and a longer one does not help.',
    'Run the file alone, with "npx vitest run --mode all FILE", and check why it hangs.',
  ]);
});

it('The end of a run names a file whose own hook hung', async () => {
  const text = `beforeAll(() => new Promise(() => {})); it('runs', () => {});`;
  expect((await reportFor('hook.test.ts', text)).slice(0, 2)).toEqual(['Hanging tests and hooks: 1', '  hook.test.ts']);
});

it('The end of a run does not mention hangs if there were none', async () => {
  expect(await reportFor('fails.test.ts', `it('fails', () => { throw new Error('no'); });`)).toEqual([]);
});
