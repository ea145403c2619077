import { stripVTControlCharacters } from 'node:util';

/** The parts of Vitest that this reporter needs, from `TestModule`, `TestSuite` and `TestCase` in `vitest/node`. */
interface WithErrors {
  errors(): readonly TestError[];
}
interface FinishedModule extends WithErrors {
  relativeModuleId: string;
  children: {
    allSuites(): Iterable<WithErrors & { fullName: string }>;
    allTests(state: 'failed'): Iterable<{ fullName: string; result(): { errors?: readonly TestError[] | undefined } }>;
  };
}
interface TestError {
  message: string;
}

/**
 * Reports at the end of a run which tests and hooks reached their time limit, and what to do about them. Vitest itself
 * suggests a longer limit, but here the limit serves only to detect hangs.
 */
export class HangingTestsReporter {
  #print: (line: string) => void;

  constructor(print: (line: string) => void = console.log) {
    this.#print = print;
  }

  onTestRunEnd(modules: readonly FinishedModule[]): void {
    const hangs = modules.flatMap(findHangs);
    if (hangs.length === 0) return;
    this.#print(`Hanging tests and hooks: ${hangs.length}`);
    for (const hang of hangs) this.#print(`  ${hang}`);
    this.#print(
      'The time limit only detects hangs: even slow machines do not need more time, and a longer limit does not help.',
    );
    this.#print('Run the file alone, with "npx vitest run --mode all FILE", and check why it hangs.');
  }
}

const findHangs = (module: FinishedModule): readonly string[] => {
  const { relativeModuleId: file, children } = module;
  const suites = [...children.allSuites()].map((suite) => ({ name: suite.fullName, faults: suite.errors() }));
  const tests = [...children.allTests('failed')].map((test) => ({
    name: test.fullName,
    faults: test.result().errors ?? [],
  }));
  return [{ name: '', faults: module.errors() }, ...suites, ...tests]
    .filter(({ faults }) => faults.some(isHang))
    .map(({ name }) => (name ? `${file} > ${name}` : file));
};

const isHang = ({ message }: TestError): boolean =>
  /^(Test|Hook) timed out in /.test(stripVTControlCharacters(message));
