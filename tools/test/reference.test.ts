import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '@portico/composition';
import { generatedPages } from '../src/reference/pages.ts';
import { variablesBySubject } from '../src/reference/variables.ts';
import { root } from '../src/service-process.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each(Object.entries(generatedPages))('%s is up to date with the sources', (path, page) => {
  expect(textOf(path), 'Run "npm run docs:reference".').toBe(page());
});

test('the documented defaults of the variables match those of the service', () => {
  const defaults = variablesBySubject.flatMap(([, group]) =>
    group.flatMap(({ name, defaultValue: value }) => (value === null ? [] : [[name, value] as const])),
  );
  expect(defaults).toContainEqual(['RATE_LIMIT_DEFAULT', '600/60']);
  expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}));
});

test('the reference has a row, a command and a variable of each kind', () => {
  const [commands, configuration, routes] = ['commands', 'configuration', 'routes'].map((name) =>
    textOf(`docs/reference/${name}.md`),
  );
  expect(commands).toContain('- `access grant` *HTTP*: ');
  expect(commands).not.toMatch(/`backup.*\*HTTP\*/);
  expect(configuration).toContain('- **`SMTP_URL`** (*secret*): ');
  expect(configuration).toContain('- **`PORT`** (default `3000`): ');
  expect(routes).toContain('|`PUT /api/imports/`|admin|`catalog:write`|');
  expect(routes).toContain('with `include=usage` also `usage:read`');
});

test('.env.example lists every variable of docker-compose.yml, and a file for each secret, but sets nothing', () => {
  const example = textOf('.env.example');
  expect(example).not.toMatch(/^[A-Z_]+=/m);
  const stack = textOf('docker-compose.yml');
  const variables = [...stack.matchAll(/^ {4}- ([A-Z_]+)$|\$\{([A-Z_]+)/gm)].map(
    ([, passedName, usedName]) => passedName ?? usedName,
  );
  expect(variables).toContain('SMTP_URL');
  const secrets = variablesBySubject.flatMap(([, group]) => group.filter(({ isSecret }) => isSecret));
  const files = secrets.map(({ name }) => `${name}_FILE`);
  expect(files).toContain('SMTP_URL_FILE');
  for (const name of [...variables, ...files]) expect(example).toMatch(new RegExp(`^#${name}=`, 'm'));
});
