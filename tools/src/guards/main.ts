import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

interface Violation {
  readonly description: string;
  /** The folder of the project to whose sources the file is added. */
  readonly folder: string;
  /** A folder within the project's sources; by default, the top one. */
  readonly subfolder?: string;
  readonly check: 'lint' | 'types';
  readonly code: string;
  /** The rule or error code that the check must report for the file. */
  readonly expected: string;
}

const root = resolve(import.meta.dirname, '../../..');
const boundaryRule = '@nx/enforce-module-boundaries';

/**
 * Proves that the boundaries are enforced: adds a file for each violation to the sources, runs the linter or the type
 * check, and expects each file to be reported with the expected rule.
 */
const violations: readonly Violation[] = [
  {
    description: 'an npm package in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { z } from 'zod';\nexport const planted = z;`,
    expected: boundaryRule,
  },
  {
    description: 'an import cycle between two domain folders',
    folder: 'libs/domain',
    subfolder: 'profiles',
    check: 'lint',
    code: `import { authorityOf } from '../access/principal.ts';\nexport const planted = authorityOf;`,
    expected: 'no-restricted-imports',
  },
  {
    description: 'an import cycle between two use case folders',
    folder: 'libs/domain',
    subfolder: 'use-cases/audit',
    check: 'lint',
    code: `import { workJob } from '../jobs/work-jobs.ts';\nexport const planted = workJob;`,
    expected: 'no-restricted-imports',
  },
  {
    description: 'a port in an entity folder',
    folder: 'libs/domain',
    subfolder: 'audit',
    check: 'lint',
    code: `import type { Ports } from '../ports/index.ts';\nexport type Planted = Ports;`,
    expected: 'no-restricted-imports',
  },
  {
    description: 'a Node module in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    expected: 'no-restricted-imports',
  },
  {
    description: 'a Node global in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `export const planted = process.env;`,
    expected: 'TS2591',
  },
  {
    description: 'fetch in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `export const planted = () => fetch('http://localhost');`,
    expected: 'TS2304',
  },
  {
    description: 'the console in the domain',
    folder: 'libs/domain',
    check: 'types',
    code: `console.log('planted');\nexport {};`,
    expected: 'TS2584',
  },
  {
    description: "the machine's clock in the domain",
    folder: 'libs/domain',
    check: 'lint',
    code: `export const planted = Date.now();`,
    expected: 'no-restricted-properties',
  },
  {
    description: 'an adapter in the domain',
    folder: 'libs/domain',
    check: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    expected: boundaryRule,
  },
  {
    description: 'an adapter in another adapter',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: `import { createMemoryStores } from '@portico/memory';\nexport const planted = createMemoryStores;`,
    expected: boundaryRule,
  },
  {
    description: "a different adapter's package",
    folder: 'libs/adapters/secrets',
    check: 'lint',
    code: `import { SignJWT } from 'jose';\nexport const planted = SignJWT;`,
    expected: boundaryRule,
  },
  {
    description: 'a package of a different adapter for the same server',
    folder: 'libs/adapters/redis',
    check: 'lint',
    code: `import { Queue } from 'bullmq';\nexport const planted = Queue;`,
    expected: boundaryRule,
  },
  {
    description: 'the test servers in an adapter',
    folder: 'libs/adapters/qdrant',
    check: 'lint',
    code: `import { startRedis } from '@portico/test-servers';\nexport const planted = startRedis;`,
    expected: boundaryRule,
  },
  {
    description: 'the composition in an adapter',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: `import { compose } from '@portico/composition';\nexport const planted = compose;`,
    expected: boundaryRule,
  },
  {
    description: 'inversify in an app',
    folder: 'apps/http',
    check: 'lint',
    code: `import { Container } from 'inversify';\nexport const planted = Container;`,
    expected: boundaryRule,
  },
  {
    description: 'an adapter in an app',
    folder: 'apps/http',
    check: 'lint',
    code: `import { openSqlStores } from '@portico/sql';\nexport const planted = openSqlStores;`,
    expected: boundaryRule,
  },
  {
    description: "the service's code in the console",
    folder: 'apps/console',
    check: 'lint',
    code: `import { createHttpApp } from '@portico/http';\nexport const planted = createHttpApp;`,
    expected: 'no-restricted-imports',
  },
  {
    description: "the domain's types in the console",
    folder: 'apps/console',
    check: 'lint',
    code: `import type { Profile } from '@portico/domain';\nexport type Planted = Profile;`,
    expected: boundaryRule,
  },
  {
    description: 'a Node module in the console',
    folder: 'apps/console',
    check: 'lint',
    code: `import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;`,
    expected: 'no-restricted-imports',
  },
  {
    description: 'a call to a route that does not exist',
    folder: 'apps/console',
    subfolder: 'api',
    check: 'types',
    code: `import { call } from './call.ts';\nexport const planted = () => call('GET /api/nothing');`,
    expected: 'TS2345',
  },
  {
    description: 'express outside the HTTP app',
    folder: 'libs/composition',
    check: 'lint',
    code: `import express from 'express';\nexport const planted = express;`,
    expected: boundaryRule,
  },
  {
    description: 'a test runner in the contracts',
    folder: 'libs/contracts',
    check: 'lint',
    code: `import { test } from 'vitest';\nexport const planted = test;`,
    expected: boundaryRule,
  },
  {
    description: 'an asynchronous decide function',
    folder: 'libs/domain',
    check: 'types',
    code: `import type { ProfileStore, ProfileChange } from './ports/index.ts';\nexport const planted = (store: ProfileStore, change: ProfileChange) => store.update(change.profile.id, async () => change);`,
    expected: 'TS2739',
  },
  {
    description: 'a dependency of the wrong type in the composition',
    folder: 'libs/composition',
    subfolder: 'wiring',
    check: 'types',
    code: `import type { Module } from './parts.ts';\nexport const planted: Module = (provide) => provide('clock', ['random'], (random) => random);`,
    expected: 'TS2322',
  },
  {
    description: 'SQL from a template',
    folder: 'libs/adapters/sql',
    check: 'lint',
    code: 'export const planted = (db: { exec(sql: string): void }, name: string) => db.exec(`drop table ${name}`);',
    expected: 'no-restricted-syntax',
  },
  {
    description: 'a promise that is not awaited',
    folder: 'apps/http',
    check: 'lint',
    code: `export const planted = (work: () => Promise<void>) => {\n  work();\n};`,
    expected: 'no-floating-promises',
  },
];

/** Code that breaks no rule: a check that also reports this file would prove nothing. */
const harmlessCode = 'export const planted = 1;';

interface PlantedFile {
  /** The path relative to the root. */
  readonly file: string;
  readonly code: string;
  /** The violation; null for a harmless file. */
  readonly violation: Violation | null;
}

/** Returns a file for each violation, and a harmless one for each folder. */
const plantedFilesFor = (group: readonly Violation[]): readonly PlantedFile[] => [
  ...group.map((violation, index) => ({
    file: join(violation.folder, 'src', violation.subfolder ?? '', `planted-violation-${index + 1}.ts`),
    code: violation.code,
    violation,
  })),
  ...[...new Set(group.map(({ folder }) => folder))].map((folder) => ({
    file: join(folder, 'src', 'planted-harmless.ts'),
    code: harmlessCode,
    violation: null,
  })),
];

const run = (...[command, ...args]: readonly string[]): string => {
  const { stdout, error } = spawnSync('npx', [command ?? '', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
    // Nx's daemon notices a new file only after a moment, and returns the old result until then.
    env: { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  if (error) throw error;
  return stdout;
};

/** Returns the check's output for each file, by path. Files that it does not check are absent. */
type Check = (plantedFiles: readonly PlantedFile[]) => ReadonlyMap<string, string>;

/** Lints only these files, with all rules. */
const lint: Check = (plantedFiles) => {
  // The boundaries rule reads the project graph that Nx wrote last.
  run('nx', 'show', 'projects');
  const results = JSON.parse(run('eslint', '--format', 'json', ...plantedFiles.map(({ file }) => file))) as readonly {
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
const checkTypes: Check = (plantedFiles) => {
  const folder = plantedFiles[0]?.violation?.folder ?? '';
  const lines = run('tsc', '--build', '--emitDeclarationOnly', folder).split('\n');
  const checkedFiles = run('tsc', '--listFilesOnly', '--project', join(folder, 'tsconfig.lib.json'));
  return new Map(
    plantedFiles
      .filter(({ file }) => checkedFiles.includes(file))
      .map(({ file }) => [file, lines.filter((line) => line.startsWith(`${file}(`)).join('\n')]),
  );
};

const problemOf = ({ file, violation }: PlantedFile, output: string | undefined): string | null => {
  if (output === undefined) return `${file} was not checked`;
  if (!violation) return output === '' ? null : `${file} is harmless, but the check reports\n${output}`;
  if (output.includes(violation.expected)) return null;
  return `${violation.description}: the check must report ${violation.expected}, but reports\n${output || 'nothing'}`;
};

/** Adds the files of these violations while a check runs, and returns its problems. */
const checkGroup = (group: readonly Violation[], check: Check): readonly string[] => {
  const plantedFiles = plantedFilesFor(group);
  try {
    for (const { file, code } of plantedFiles) writeFileSync(join(root, file), `${code}\n`);
    const outputs = check(plantedFiles);
    return plantedFiles.flatMap((plantedFile) => {
      const problem = problemOf(plantedFile, outputs.get(plantedFile.file));
      if (problem === null && plantedFile.violation)
        process.stdout.write(`caught  ${plantedFile.violation.description} (${plantedFile.violation.expected})\n`);
      return problem ?? [];
    });
  } finally {
    for (const { file } of plantedFiles) rmSync(join(root, file), { force: true });
  }
};

const { lint: lintViolations = [], types: typeViolations = [] } = Object.groupBy(violations, ({ check }) => check);
const failures = [
  ...checkGroup(lintViolations, lint),
  ...[...Map.groupBy(typeViolations, ({ folder }) => folder).values()].flatMap((group) =>
    checkGroup(group, checkTypes),
  ),
];
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${violations.length} planted violations, all caught.\n`);
}
