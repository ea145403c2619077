import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import { HangingTestsReporter } from './hanging-tests-reporter.ts';

// Inside the package, because a test file finds Vitest from there.
const output = join(import.meta.dirname, '..', 'out-tsc');
mkdirSync(output, { recursive: true });
const root = mkdtempSync(join(output, 'hanging-'));
afterAll(() => rmSync(root, { recursive: true }));

/** What the reporter prints at the end of a run of this test file, which fails, with a time limit of .2 s. */
async function printedBy(file: string, text: string): Promise<string[]> {
  writeFileSync(join(root, file), `import { beforeAll, describe, it } from 'vitest';\n${text}`);
  const printed: string[] = [];
  const reporters = [new HangingTestsReporter((line) => printed.push(line))];
  const limits = { testTimeout: 200, hookTimeout: 200 };
  const exitCode = process.exitCode;
  const vitest = await startVitest('test', [file], { root, config: false, watch: false, reporters, ...limits });
  await vitest.close();
  // Vitest sets it for the failures that are wanted here.
  process.exitCode = exitCode;
  return printed;
}

it('The end of a run names what hung, and says what to do about it', async () => {
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
  expect(await printedBy('hangs.test.ts', text)).toEqual([
    'Hanging tests and hooks: 2',
    '  hangs.test.ts > another server',
    '  hangs.test.ts > a server > answers',
    'The time limit is for hangs alone: no machine is too slow for it, and a longer one does not help.',
    'Run the file alone, with "npx vitest run --mode all FILE", and find out what it waits for.',
  ]);
});

it('The end of a run names a file whose own hook hung', async () => {
  const text = `beforeAll(() => new Promise(() => {})); it('runs', () => {});`;
  expect((await printedBy('hook.test.ts', text)).slice(0, 2)).toEqual(['Hanging tests and hooks: 1', '  hook.test.ts']);
});

it('The end of a run says nothing of hangs if there were none', async () => {
  expect(await printedBy('fails.test.ts', `it('fails', () => { throw new Error('no'); });`)).toEqual([]);
});
