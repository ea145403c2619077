import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { HangingTestsReporter } from './libs/test-servers/src/hanging-tests-reporter.ts';
import { SkippedTestsReporter } from './libs/test-servers/src/skipped-tests-reporter.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Portico needs Node 24 or newer; this is ${process.version}. Run the tests with "npm test".`);
}

const all = '{src,test}/**/*.test.ts';
const servers = '{src,test}/**/*.servers.test.ts';
const release = '{src,test}/**/*.release.test.ts';
/** All tests of this package run in Chromium. */
const inChromium = 'apps/console';
const notInChromium = (root) => (root === inChromium ? ['test/**'] : []);

/** The test files of a package by `--mode`. The name or the folder of a file decides which command runs it. */
const filesOf = {
  // npm test
  test: (root) => ({ include: [all], exclude: [servers, release, ...notInChromium(root)] }),
  // npm run check: tests without servers, of the packages tagged `tests:quick`
  quick: (root) => ({ include: isQuick(root) ? ['src/**/*.test.ts'] : [], exclude: [servers, release] }),
  // npm run test:servers
  servers: () => ({ include: [servers] }),
  // npm run test:console
  console: (root) => ({ include: root === inChromium ? ['test/**/*.test.ts'] : [] }),
  // npm run test:all
  all: () => ({ include: [all] }),
  // only run by test:all
  release: () => ({ include: [release] }),
};

const manifestOf = (root) => JSON.parse(readFileSync(join(import.meta.dirname, root, 'package.json'), 'utf8'));
const isQuick = (root) => manifestOf(root).nx.tags.includes('tests:quick');

/** One project per package, with the package's name; runs the sources without a build. */
const project = (root, files) => ({
  root: join(import.meta.dirname, root),
  ssr: { resolve: { conditions: ['@portico/source', ...defaultServerConditions] } },
  test: {
    name: manifestOf(root).name,
    ...files,
    // Only for hangs: a slow machine reaches none of these. No test sets its own timeout.
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
    expect: { poll: { timeout: 2 * 60_000 } },
    // Files run one after the other in a process that has already loaded the sources: half the time for most packages.
    isolate: false,
    // Makes worker threads and child processes of the tests resolve the same sources.
    execArgv: ['-C', '@portico/source'],
    // Tests start many processes, each of which would strip and compile the same sources again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/portico-tests') },
  },
});

const roots = globSync(
  ['apps/*', 'libs/{contracts,composition,dependencies,domain,test-servers,testing}', 'libs/adapters/*', 'tools'],
  { cwd: import.meta.dirname },
);

export default defineConfig(({ mode }) => {
  const files = filesOf[mode];
  if (!files) throw new Error(`There is no mode "${mode}": choose one of ${Object.keys(filesOf).join(', ')}`);
  return {
    test: {
      passWithNoTests: false,
      // Many tests wait for servers more than they compute.
      maxWorkers: availableParallelism() + 1,
      projects: roots.map((root) => project(root, files(root))),
      // Failed tests come last, where people look, and where a truncated log still shows them.
      reporters: [new SkippedTestsReporter(), new HangingTestsReporter(), 'default'],
    },
  };
});
