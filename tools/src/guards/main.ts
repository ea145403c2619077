import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

interface Violation {
  readonly forbids: string;
  /** The project that is checked, and the folder where the file is planted. */
  readonly project: string;
  readonly folder: string;
  /** A folder within its sources; the top one if absent. */
  readonly room?: string;
  readonly target: 'lint' | 'typecheck';
  readonly code: string;
  /** What the check must say of the file. */
  readonly says: string;
}

const root = resolve(import.meta.dirname, '../../..');
const boundary = '@nx/enforce-module-boundaries';

/**
 * Shows that the boundaries hold: plants the forbidden things in the sources, each in a file of its own, runs the real
 * lint or type check of that project, and expects it to report each file with the rule that forbids it. First the
 * untouched projects must pass, because a check that always fails proves nothing.
 */
const violations: readonly Violation[] = [
  {
    forbids: 'a package in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'lint',
    code: `import { z } from 'zod';\nexport const planted = z;`,
    says: boundary,
  },
  {
    forbids: 'an import cycle between two rooms of nouns',
    project: 'domain',
    folder: 'libs/domain',
    room: 'profiles',
    target: 'lint',
    code: `import { authorityOf } from '../access/principal.ts';\nexport const planted = authorityOf;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'an import cycle between two rooms of use cases',
    project: 'domain',
    folder: 'libs/domain',
    room: 'use-cases/audit',
    target: 'lint',
    code: `import { workJob } from '../jobs/work-jobs.ts';\nexport const planted = workJob;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'a port in a room of nouns',
    project: 'domain',
    folder: 'libs/domain',
    room: 'audit',
    target: 'lint',
    code: `import type { Ports } from '../ports/index.ts';\nexport type Planted = Ports;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'node: in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'the types of Node in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'typecheck',
    code: `export const planted = process.env;`,
    says: 'TS2591',
  },
  {
    forbids: 'fetch in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'typecheck',
    code: `export const planted = () => fetch('http://localhost');`,
    says: 'TS2304',
  },
  {
    forbids: 'the console in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'typecheck',
    code: `console.log('planted');\nexport {};`,
    says: 'TS2584',
  },
  {
    forbids: "the machine's clock in the domain",
    project: 'domain',
    folder: 'libs/domain',
    target: 'lint',
    code: `export const planted = Date.now();`,
    says: 'no-restricted-properties',
  },
  {
    forbids: 'an adapter in the domain',
    project: 'domain',
    folder: 'libs/domain',
    target: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    says: boundary,
  },
  {
    forbids: 'an adapter in another adapter',
    project: 'sql',
    folder: 'libs/adapters/sql',
    target: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    says: boundary,
  },
  {
    forbids: 'the technology of another adapter',
    project: 'secrets',
    folder: 'libs/adapters/secrets',
    target: 'lint',
    code: `import { SignJWT } from 'jose';\nexport const planted = SignJWT;`,
    says: boundary,
  },
  {
    forbids: 'the technology of another adapter of the same server',
    project: 'redis',
    folder: 'libs/adapters/redis',
    target: 'lint',
    code: `import { Queue } from 'bullmq';\nexport const planted = Queue;`,
    says: boundary,
  },
  {
    forbids: 'the test servers in an adapter',
    project: 'qdrant',
    folder: 'libs/adapters/qdrant',
    target: 'lint',
    code: `import { startRedis } from '@portico/test-servers';\nexport const planted = startRedis;`,
    says: boundary,
  },
  {
    forbids: 'the composition in an adapter',
    project: 'sql',
    folder: 'libs/adapters/sql',
    target: 'lint',
    code: `import { compose } from '@portico/composition';\nexport const planted = compose;`,
    says: boundary,
  },
  {
    forbids: 'inversify in an app',
    project: 'http',
    folder: 'apps/http',
    target: 'lint',
    code: `import { Container } from 'inversify';\nexport const planted = Container;`,
    says: boundary,
  },
  {
    forbids: 'an adapter in an app',
    project: 'http',
    folder: 'apps/http',
    target: 'lint',
    code: `import { openSqlStores } from '@portico/sql';\nexport const planted = openSqlStores;`,
    says: boundary,
  },
  {
    forbids: 'values of the service in the console, which takes types only',
    project: 'console',
    folder: 'apps/console',
    target: 'lint',
    code: `import { createHttpApp } from '@portico/http';\nexport const planted = createHttpApp;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'even types of the domain in the console',
    project: 'console',
    folder: 'apps/console',
    target: 'lint',
    code: `import type { Profile } from '@portico/domain';\nexport type Planted = Profile;`,
    says: boundary,
  },
  {
    forbids: 'Node in the console',
    project: 'console',
    folder: 'apps/console',
    target: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'a call that the route table does not have',
    project: 'console',
    folder: 'apps/console',
    room: 'api',
    target: 'typecheck',
    code: `import { call } from './call.ts';\nexport const planted = () => call('GET /api/nothing');`,
    says: 'TS2345',
  },
  {
    forbids: 'express outside the HTTP app',
    project: 'composition',
    folder: 'libs/composition',
    target: 'lint',
    code: `import express from 'express';\nexport const planted = express;`,
    says: boundary,
  },
  {
    forbids: 'a test runner in the contracts',
    project: 'contracts',
    folder: 'libs/contracts',
    target: 'lint',
    code: `import { test } from 'vitest';\nexport const planted = test;`,
    says: boundary,
  },
  {
    forbids: 'an asynchronous decision',
    project: 'domain',
    folder: 'libs/domain',
    target: 'typecheck',
    code: `import type { ProfileStore, ProfileChange } from './ports/index.ts';\nexport const planted = (store: ProfileStore, change: ProfileChange) => store.update(change.profile.id, async () => change);`,
    says: 'TS2739',
  },
  {
    forbids: 'a wrong dependency in the composition',
    project: 'composition',
    folder: 'libs/composition',
    room: 'wiring',
    target: 'typecheck',
    code: `import type { Module } from './parts.ts';\nexport const planted: Module = (provide) => provide('clock', ['random'], (random) => random);`,
    says: 'TS2322',
  },
  {
    forbids: 'SQL from a template',
    project: 'sql',
    folder: 'libs/adapters/sql',
    target: 'lint',
    code: 'export const planted = (db: { exec(sql: string): void }, name: string) => db.exec(`drop table ${name}`);',
    says: 'no-restricted-syntax',
  },
  {
    forbids: 'a promise that is not awaited',
    project: 'http',
    folder: 'apps/http',
    target: 'lint',
    code: `export const planted = (work: () => Promise<void>) => {\n  work();\n};`,
    says: 'no-floating-promises',
  },
];

type Target = Pick<Violation, 'project' | 'target'>;

const check = ({ project, target }: Target): { readonly passed: boolean; readonly output: string } => {
  const run = spawnSync('npx', ['nx', 'run', `@portico/${project}:${target}`, '--output-style=static'], {
    cwd: root,
    encoding: 'utf8',
    // Nx's daemon notices a planted file a moment later, and returns the previous result until then.
    env: { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  return { passed: run.status === 0, output: `${run.stdout}${run.stderr}` };
};

/** What a check says of the files of this name: lint a paragraph below the file's path, the type check lines with it. */
const saidOf = (name: string, output: string): string =>
  output
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const lines = paragraph.split('\n');
      const heading = lines.findIndex((line) => line.endsWith(name));
      return heading < 0 ? lines.filter((line) => line.includes(`${name}(`)) : lines.slice(heading);
    })
    .join('\n');

/** Plants these violations of one project, and says of each what is wrong with its check, or null. */
const plantTogether = (target: Target, together: readonly Violation[]): readonly (string | null)[] => {
  const files = together.map(({ folder, room = '' }, at) =>
    join(root, folder, 'src', room, `planted-violation-${at + 1}.ts`),
  );
  try {
    for (const [at, { code }] of together.entries()) {
      const file = files[at] ?? '';
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${code}\n`);
    }
    const { passed, output } = check(target);
    return together.map(({ says }, at) => {
      if (passed) return 'the check passed';
      const said = saidOf(basename(files[at] ?? ''), output);
      return said.includes(says) ? null : `the check failed, but not with ${says} there:\n${said || output}`;
    });
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
};

const byTarget = Map.groupBy(violations, ({ project, target }) => `${project} ${target}`);
const failures: string[] = [];
for (const [name, [first]] of byTarget) {
  const { passed, output } = first ? check(first) : { passed: true, output: '' };
  if (!passed) failures.push(`${name} fails without any violation:\n${output}`);
}
for (const [name, together] of failures.length > 0 ? [] : byTarget) {
  const [first] = together;
  const problems = first ? plantTogether(first, together) : [];
  for (const [at, { forbids, says }] of together.entries()) {
    const problem = problems[at];
    if (problem) failures.push(`${forbids}: ${problem}`);
    else process.stdout.write(`caught  ${forbids} (${name}: ${says})\n`);
  }
}
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${violations.length} planted violations, all caught.\n`);
}
