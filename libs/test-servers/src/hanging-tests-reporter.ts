import { stripVTControlCharacters } from 'node:util';

/** The parts of Vitest that this reporter needs, from `TestModule`, `TestSuite` and `TestCase` in `vitest/node`. */
interface WithErrors {
  errors(): readonly Fault[];
}
interface FinishedModule extends WithErrors {
  relativeModuleId: string;
  children: {
    allSuites(): Iterable<WithErrors & { fullName: string }>;
    allTests(state: 'failed'): Iterable<{ fullName: string; result(): { errors?: readonly Fault[] | undefined } }>;
  };
}
interface Fault {
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
    const hangs = modules.flatMap(hangsIn);
    if (hangs.length === 0) return;
    this.#print(`Hanging tests and hooks: ${hangs.length}`);
    for (const hang of hangs) this.#print(`  ${hang}`);
    this.#print('The time limit is for hangs alone: no machine is too slow for it, and a longer one does not help.');
    this.#print('Run the file alone, with "npx vitest run --mode all FILE", and check why it hangs.');
  }
}

const hangsIn = (module: FinishedModule): readonly string[] => {
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

const isHang = ({ message }: Fault): boolean => /^(Test|Hook) timed out in /.test(stripVTControlCharacters(message));
