import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { SkippedTestsReporter } from './libs/test-servers/src/skipped-tests-reporter.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Portico needs Node 24 or newer; this is ${process.version}. Run the tests with "npm test".`);
}

const manifestOf = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** One project per package, named like the package; runs the sources as they are, without a build. */
const project = (root, quick) => ({
  root,
  ssr: { resolve: { conditions: ['@portico/source', ...defaultServerConditions] } },
  test: {
    name: manifestOf(root).name,
    include: [quick ? 'src/**/*.test.ts' : '{src,test}/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Each attempt is quick; what it waits for may be slow on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    // Makes worker threads and child processes of the tests resolve the same sources.
    execArgv: ['-C', '@portico/source'],
    // Tests start hundreds of processes, each of which would strip and compile the same sources again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/portico-tests') },
  },
});

const roots = globSync(
  ['apps/*', 'libs/{contracts,composition,dependencies,domain,test-servers,testing}', 'libs/adapters/*', 'tools'],
  {
    cwd: import.meta.dirname,
  },
).map((root) => join(import.meta.dirname, root));

export default defineConfig(({ mode }) => {
  // For `npm run check`: only the tests in src of packages tagged `tests:quick`, which need no server.
  const quick = mode === 'quick';
  const tested = quick ? roots.filter((root) => manifestOf(root).nx.tags.includes('tests:quick')) : roots;
  return {
    test: {
      passWithNoTests: false,
      // Many tests wait for servers more than they compute.
      maxWorkers: Math.max(2, availableParallelism() - 1),
      projects: tested.map((root) => project(root, quick)),
      // Failed tests come last, where one looks, and what is kept of a long output ends.
      reporters: [new SkippedTestsReporter(), 'default'],
    },
  };
});
