import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

interface Violation {
  readonly forbids: string;
  /** The project's, in whose sources the file is planted. */
  readonly folder: string;
  /** A folder within its sources; the top one if absent. */
  readonly room?: string;
  readonly check: 'lint' | 'types';
  readonly code: string;
  /** What the check must say of the file. */
  readonly says: string;
}

const root = resolve(import.meta.dirname, '../../..');
const boundary = '@nx/enforce-module-boundaries';

/**
 * Shows that the boundaries hold: plants the forbidden things in the sources, each in a file of its own, lints them or
 * checks the types of their project, and expects each file to be reported with the rule that forbids it.
 */
const violations: readonly Violation[] = [
  {
    forbids: 'a package in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { z } from 'zod';\nexport const planted = z;`,
    says: boundary,
  },
  {
    forbids: 'an import cycle between two rooms of nouns',
    folder: 'libs/domain',
    room: 'profiles',
    check: 'lint',
    code: `import { authorityOf } from '../access/principal.ts';\nexport const planted = authorityOf;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'an import cycle between two rooms of use cases',
    folder: 'libs/domain',
    room: 'use-cases/audit',
    check: 'lint',
    code: `import { workJob } from '../jobs/work-jobs.ts';\nexport const planted = workJob;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'a port in a room of nouns',
    folder: 'libs/domain',
    room: 'audit',
    check: 'lint',
    code: `import type { Ports } from '../ports/index.ts';\nexport type Planted = Ports;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'node: in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'the types of Node in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `export const planted = process.env;`,
    says: 'TS2591',
  },
  {
    forbids: 'fetch in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `export const planted = () => fetch('http://localhost');`,
    says: 'TS2304',
  },
  {
    forbids: 'the console in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `console.log('planted');\nexport {};`,
    says: 'TS2584',
  },
  {
    forbids: "the machine's clock in the domain",
    folder: 'libs/domain',
    check: 'lint',
    code: `export const planted = Date.now();`,
    says: 'no-restricted-properties',
  },
  {
    forbids: 'an adapter in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    says: boundary,
  },
  {
    forbids: 'an adapter in another adapter',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    says: boundary,
  },
  {
    forbids: 'the technology of another adapter',
    folder: 'libs/adapters/secrets',
    check: 'lint',
    code: `import { SignJWT } from 'jose';\nexport const planted = SignJWT;`,
    says: boundary,
  },
  {
    forbids: 'the technology of another adapter of the same server',
    folder: 'libs/adapters/redis',
    check: 'lint',
    code: `import { Queue } from 'bullmq';\nexport const planted = Queue;`,
    says: boundary,
  },
  {
    forbids: 'the test servers in an adapter',
    folder: 'libs/adapters/qdrant',
    check: 'lint',
    code: `import { startRedis } from '@portico/test-servers';\nexport const planted = startRedis;`,
    says: boundary,
  },
  {
    forbids: 'the composition in an adapter',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: `import { compose } from '@portico/composition';\nexport const planted = compose;`,
    says: boundary,
  },
  {
    forbids: 'inversify in an app',
    folder: 'apps/http',
    check: 'lint',
    code: `import { Container } from 'inversify';\nexport const planted = Container;`,
    says: boundary,
  },
  {
    forbids: 'an adapter in an app',
    folder: 'apps/http',
    check: 'lint',
    code: `import { openSqlStores } from '@portico/sql';\nexport const planted = openSqlStores;`,
    says: boundary,
  },
  {
    forbids: 'values of the service in the console, which takes types only',
    folder: 'apps/console',
    check: 'lint',
    code: `import { createHttpApp } from '@portico/http';\nexport const planted = createHttpApp;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'even types of the domain in the console',
    folder: 'apps/console',
    check: 'lint',
    code: `import type { Profile } from '@portico/domain';\nexport type Planted = Profile;`,
    says: boundary,
  },
  {
    forbids: 'Node in the console',
    folder: 'apps/console',
    check: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    says: 'no-restricted-imports',
  },
  {
    forbids: 'a call that the route table does not have',
    folder: 'apps/console',
    room: 'api',
    check: 'types',
    code: `import { call } from './call.ts';\nexport const planted = () => call('GET /api/nothing');`,
    says: 'TS2345',
  },
  {
    forbids: 'express outside the HTTP app',
    folder: 'libs/composition',
    check: 'lint',
    code: `import express from 'express';\nexport const planted = express;`,
    says: boundary,
  },
  {
    forbids: 'a test runner in the contracts',
    folder: 'libs/contracts',
    check: 'lint',
    code: `import { test } from 'vitest';\nexport const planted = test;`,
    says: boundary,
  },
  {
    forbids: 'an asynchronous decision',
    folder: 'libs/domain',
    check: 'types',
    code: `import type { ProfileStore, ProfileChange } from './ports/index.ts';\nexport const planted = (store: ProfileStore, change: ProfileChange) => store.update(change.profile.id, async () => change);`,
    says: 'TS2739',
  },
  {
    forbids: 'a wrong dependency in the composition',
    folder: 'libs/composition',
    room: 'wiring',
    check: 'types',
    code: `import type { Module } from './parts.ts';\nexport const planted: Module = (provide) => provide('clock', ['random'], (random) => random);`,
    says: 'TS2322',
  },
  {
    forbids: 'SQL from a template',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: 'export const planted = (db: { exec(sql: string): void }, name: string) => db.exec(`drop table ${name}`);',
    says: 'no-restricted-syntax',
  },
  {
    forbids: 'a promise that is not awaited',
    folder: 'apps/http',
    check: 'lint',
    code: `export const planted = (work: () => Promise<void>) => {\n  work();\n};`,
    says: 'no-floating-promises',
  },
];

/** Breaks no rule: a check that reports this too would prove nothing. */
const harmless = 'export const planted = 1;';

interface Plant {
  /** By its path from the root. */
  readonly file: string;
  readonly code: string;
  /** Null for a harmless one. */
  readonly violation: Violation | null;
}

/** Each violation in a file of its own, and something harmless in each folder. */
const plantsOf = (together: readonly Violation[]): readonly Plant[] => [
  ...together.map((violation, at) => ({
    file: join(violation.folder, 'src', violation.room ?? '', `planted-violation-${at + 1}.ts`),
    code: violation.code,
    violation,
  })),
  ...[...new Set(together.map(({ folder }) => folder))].map((folder) => ({
    file: join(folder, 'src', 'planted-harmless.ts'),
    code: harmless,
    violation: null,
  })),
];

const run = (...[command, ...args]: readonly string[]): string => {
  const { stdout, error } = spawnSync('npx', [command ?? '', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
    // Nx's daemon notices a planted file only after a moment, and returns its old answer until then.
    env: { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  if (error) throw error;
  return stdout;
};

/** Says what a check finds in each file, by its path; a file that it does not look at is missing. */
type Check = (plants: readonly Plant[]) => ReadonlyMap<string, string>;

/** Lints these files alone, by the rules for all. */
const lint: Check = (plants) => {
  // The rule of the boundaries reads the graph of the projects that Nx wrote last.
  run('nx', 'show', 'projects');
  const results = JSON.parse(run('eslint', '--format', 'json', ...plants.map(({ file }) => file))) as readonly {
    readonly filePath: string;
    readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
  }[];
  return new Map(
    results.map(({ filePath, messages }) => [
      relative(root, filePath),
      messages.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'),
    ]),
  );
};

/** Checks the types of the whole project. */
const checkTypes: Check = (plants) => {
  const folder = plants[0]?.violation?.folder ?? '';
  const lines = run('tsc', '--build', '--emitDeclarationOnly', folder).split('\n');
  const seen = run('tsc', '--listFilesOnly', '--project', join(folder, 'tsconfig.lib.json'));
  return new Map(
    plants
      .filter(({ file }) => seen.includes(file))
      .map(({ file }) => [file, lines.filter((line) => line.startsWith(`${file}(`)).join('\n')]),
  );
};

const problemOf = ({ file, violation }: Plant, said: string | undefined): string | null => {
  if (said === undefined) return `${file} was not looked at`;
  if (!violation) return said === '' ? null : `${file} is harmless, but the check says\n${said}`;
  if (said.includes(violation.says)) return null;
  return `${violation.forbids}: the check must say ${violation.says}, but says\n${said || 'nothing'}`;
};

/** Plants these violations while a check runs, and returns what is wrong with it. */
const plantTogether = (together: readonly Violation[], check: Check): readonly string[] => {
  const plants = plantsOf(together);
  try {
    for (const { file, code } of plants) writeFileSync(join(root, file), `${code}\n`);
    const said = check(plants);
    return plants.flatMap((plant) => {
      const problem = problemOf(plant, said.get(plant.file));
      if (problem === null && plant.violation)
        process.stdout.write(`caught  ${plant.violation.forbids} (${plant.violation.says})\n`);
      return problem ?? [];
    });
  } finally {
    for (const { file } of plants) rmSync(join(root, file), { force: true });
  }
};

const { lint: ofLint = [], types: ofTypes = [] } = Object.groupBy(violations, ({ check }) => check);
const failures = [
  ...plantTogether(ofLint, lint),
  ...[...Map.groupBy(ofTypes, ({ folder }) => folder).values()].flatMap((together) =>
    plantTogether(together, checkTypes),
  ),
];
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${violations.length} planted violations, all caught.\n`);
}
