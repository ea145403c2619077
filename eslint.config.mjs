import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const sources = ['**/*.ts', '**/*.tsx'];
const tests = ['**/*.test.ts', '**/test/**/*.ts'];
const testPackages = ['vitest', 'vitest/**', 'vite', 'fast-check'];

/** Each adapter and app may import Node and the packages that it declares: see `ARCHITECTURE.md`. */
const declaredIn = (folder) =>
  Object.fromEntries(
    readdirSync(join(import.meta.dirname, folder)).map((name) => {
      const text = readFileSync(join(import.meta.dirname, folder, name, 'package.json'), 'utf8');
      const manifest = JSON.parse(text);
      // Browser code is built, so its packages are development dependencies, and not in the image.
      const runsBuilt = manifest.nx.tags.includes('type:console');
      const packages = Object.keys((runsBuilt ? manifest.devDependencies : manifest.dependencies) ?? {});
      return [name, ['node:*', ...packages.flatMap((packageName) => [packageName, `${packageName}/**`])]];
    }),
  );
const technologies = declaredIn('libs/adapters');
const apps = declaredIn('apps');

/**
 * The folders of the domain, from the bottom up: values, nouns with their rules, ports, use cases. A folder imports only
 * from earlier ones, so that no two folders import each other.
 */
const domainFolders = {
  'libs/domain/src':
    'characters.ts checked-secret.ts line.ts ids.ts instant.ts json.ts deadline.ts collections limits settings.ts errors.ts profiles ' +
    'groups service-accounts access audit documents operations changes usage requests calls grants webhooks jobs mails search ports use-cases index.ts',
  'libs/domain/src/use-cases':
    'audit outbox webhooks mails requests groups access usage search operations collections calls grants jobs limits profiles service-accounts secrets service index.ts',
};
const importsRefused = (...patterns) => ({
  'no-restricted-imports': [
    'error',
    { patterns: [{ group: ['node:*'], message: 'The domain must not import Node modules.' }, ...patterns] },
  ],
});
const cycleRules = Object.entries(domainFolders).flatMap(([layer, list]) => {
  const folders = list.split(' ');
  const entries = readdirSync(join(import.meta.dirname, layer), { withFileTypes: true });
  const unlisted = entries.find((entry) => entry.isDirectory() && !folders.includes(entry.name));
  if (unlisted) throw new Error(`domainFolders does not list ${layer}/${unlisted.name}`);
  return folders.slice(0, -1).map((folder, index) => {
    const [files, step] = folder.endsWith('.ts') ? ['', '\\./'] : ['/**/*.ts', '\\.\\./'];
    const laterFolders = folders.slice(index + 1).map((name) => name.replace('.', '\\.'));
    return {
      files: [`${layer}/${folder}${files}`],
      ignores: [...tests, ...(folder === 'use-cases' ? [`${layer}/use-cases/*/**`] : [])],
      rules: importsRefused(
        {
          regex: `^${step}(${laterFolders.join('|')})(/|$)`,
          message: `${folder} may import only from earlier folders in domainFolders.`,
        },
        { regex: '^(\\.\\./)+index\\.ts$', message: 'index.ts is only for other packages.' },
      ),
    };
  });
});

const constraint = (sourceTag, onlyDependOnLibsWithTags, allowedExternalImports) => ({
  sourceTag,
  onlyDependOnLibsWithTags,
  ...(allowedExternalImports ? { allowedExternalImports } : {}),
});
const ownConstraints = (kind, table, packages = []) =>
  Object.entries(table).map(([name, allowed]) => constraint(`${kind}:${name}`, ['*'], [...allowed, ...packages]));

const boundaries = (depConstraints) => [
  'error',
  {
    enforceBuildableLibDependency: true,
    banTransitiveDependencies: true,
    allowCircularSelfDependency: false,
    depConstraints,
  },
];

export default defineConfig(
  globalIgnores(['**/dist', '**/out-tsc', '**/coverage', '**/.nx', '**/node_modules', 'data']),
  eslint.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    files: sources,
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries([
        constraint('type:domain', [], []),
        constraint('type:contracts', ['type:domain'], ['node:assert', 'node:assert/strict']),
        constraint('type:dependencies', ['type:domain'], ['node:*', 'cockatiel']),
        constraint('type:adapter', ['type:domain', 'type:dependencies']),
        ...ownConstraints('adapter', technologies),
        constraint(
          'type:composition',
          ['type:domain', 'type:dependencies', 'type:adapter'],
          ['node:*', 'inversify', 'reflect-metadata', 'zod', 'pino', '@opentelemetry/**'],
        ),
        constraint('type:testing', ['type:domain', 'type:dependencies', 'type:adapter'], ['node:*']),
        constraint('type:test-servers', [], ['node:*', 'testcontainers', 'smtp-server', 'oidc-provider']),
        constraint('type:app', ['type:domain', 'type:composition', 'app:http']),
        ...ownConstraints('app', apps),
        constraint('app:worker', ['type:domain', 'type:composition']),
        constraint('type:console', ['app:http']),
        constraint('type:tools', ['*']),
      ]),
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.property.name=/^(prepare|exec|execute)$/] > TemplateLiteral[expressions.length>0]',
          message: 'Pass values to SQL as parameters, never in a template.',
        },
      ],
    },
  },
  {
    files: ['libs/domain/src/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'globalThis',
        'console',
        'fetch',
        'performance',
        'setTimeout',
        'setInterval',
        'crypto',
      ],
      ...importsRefused(),
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time comes from the Clock.' },
        { object: 'Math', property: 'random', message: 'Randomness comes from the RandomSource port.' },
      ],
    },
  },
  ...cycleRules,
  {
    // Browser code uses the service only through its API, and imports only types from it.
    files: ['apps/console/src/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@portico/*'], allowTypeImports: true, message: 'The console may import only types.' },
            { group: ['node:*'], message: 'Browsers have no Node modules.' },
          ],
        },
      ],
    },
  },
  {
    files: tests,
    rules: {
      '@nx/enforce-module-boundaries': boundaries([
        constraint('type:domain', [], ['node:*', 'ajv', 'ajv/**', 'ajv-formats', ...testPackages]),
        constraint('type:contracts', ['type:domain'], ['node:*', ...testPackages]),
        constraint('type:dependencies', ['type:domain', 'type:contracts'], ['node:*', 'cockatiel', ...testPackages]),
        constraint('type:adapter', [
          'type:domain',
          'type:dependencies',
          'type:contracts',
          'type:adapter',
          'type:test-servers',
        ]),
        ...ownConstraints('adapter', technologies, testPackages),
        constraint('type:composition', ['*']),
        constraint('type:testing', ['*']),
        constraint('type:test-servers', [], ['*']),
        constraint('type:app', ['*']),
        constraint('type:console', ['*']),
        constraint('type:tools', ['*']),
      ]),
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } },
  },
  prettier,
);
