import { basename, join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** The vitest configuration of one project: its sources are taken as they are, without a build. */
export const project = (root: string) =>
  defineConfig({
    root,
    cacheDir: join(import.meta.dirname, 'node_modules/.vite', basename(root)),
    ssr: { resolve: { conditions: ['@portico/source', ...defaultServerConditions] } },
    test: {
      name: basename(root),
      environment: 'node',
      include: ['{src,test,demo,guards}/**/*.test.ts'],
      passWithNoTests: true,
      testTimeout: 20_000,
      // Worker threads that tests start resolve the same sources.
      execArgv: ['-C', '@portico/source'],
    },
  });
