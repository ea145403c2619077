import { stripVTControlCharacters } from 'node:util';

/** The parts of Vitest that this reporter needs, from `TestModule`, `TestCase` and `Vitest` in `vitest/node`. */
interface FinishedModule {
  relativeModuleId: string;
  children: { allTests(state: 'skipped'): Iterable<SkippedTest> };
}
interface SkippedTest {
  fullName: string;
  options: { mode: string };
  result(): { state: string; note?: string | undefined };
}
interface Run {
  getGlobalTestNamePattern(): RegExp | undefined;
}

/**
 * Reports the skipped tests at the end of a run: their number, and each test with its file and, if there is one, its
 * reason (`context.skip(reason)`). A test that never runs must not go unnoticed. A run that selects tests by name
 * (`-t`) leaves the others out on purpose, so only their number is reported.
 */
export class SkippedTestsReporter {
  #print: (line: string) => void;
  #run: Run | null = null;

  constructor(print: (line: string) => void = console.log) {
    this.#print = print;
  }

  onInit(run: Run): void {
    this.#run = run;
  }

  onTestRunEnd(modules: readonly FinishedModule[]): void {
    const skippedModules = modules
      .map((module) => ({ file: module.relativeModuleId, tests: [...module.children.allTests('skipped')] }))
      .filter(({ tests }) => tests.length > 0);
    const count = skippedModules.reduce((sum, { tests }) => sum + tests.length, 0);
    if (this.#run?.getGlobalTestNamePattern()) return this.#print(`Skipped or left out by name: ${count}`);
    this.#print(`Skipped tests: ${count}`);
    for (const { file, tests } of skippedModules) {
      this.#print(`  ${file}`);
      for (const test of tests) this.#print(`    ${describe(test)}`);
    }
  }
}

function describe(test: SkippedTest): string {
  const reason = test.result().note ?? (test.options.mode === 'todo' ? 'to do' : null);
  return stripVTControlCharacters(reason === null ? test.fullName : `${test.fullName} (${reason})`);
}
