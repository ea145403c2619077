import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '@portico/composition';
import { generatedPages } from '../src/reference/pages.ts';
import { variablesBySubject } from '../src/reference/variables.ts';
import { root } from '../src/service-process.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each(Object.entries(generatedPages))('%s is made from the sources as they are', (path, page) => {
  expect(textOf(path), 'Run "npm run docs:reference".').toBe(page());
});

test('the defaults of the variables, written as they are set, are those of the service', () => {
  const defaults = variablesBySubject.flatMap(([, group]) =>
    group.flatMap(({ name, standard }) => (standard === null ? [] : [[name, standard] as const])),
  );
  expect(defaults).toContainEqual(['RATE_LIMIT_DEFAULT', '600/60']);
  expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}));
});

test('the reference has a row, a command and a variable of each kind', () => {
  const [commands, configuration, routes] = ['commands', 'configuration', 'routes'].map((name) =>
    textOf(`docs/reference/${name}.md`),
  );
  expect(commands).toContain('- `portico access grant` *HTTP*: ');
  expect(commands).not.toMatch(/`portico backup.*\*HTTP\*/);
  expect(configuration).toContain('- **`SMTP_URL`** (*secret*): ');
  expect(configuration).toContain('- **`PORT`** (default `3000`): ');
  expect(routes).toContain('| `PUT /api/imports/` | admin | `catalog:write` | ');
  expect(routes).toContain('with `include=usage` also `usage:read`');
});

test('the example of an environment sets nothing, and has every variable that docker-compose.yml reads, and a file for each secret', () => {
  const example = textOf('.env.example');
  expect(example).not.toMatch(/^[A-Z_]+=/m);
  const stack = textOf('docker-compose.yml');
  const read = [...stack.matchAll(/^ {4}- ([A-Z_]+)$|\$\{([A-Z_]+)/gm)].map(([, passed, used]) => passed ?? used);
  expect(read).toContain('SMTP_URL');
  const secrets = variablesBySubject.flatMap(([, group]) => group.filter(({ isSecret }) => isSecret));
  const files = secrets.map(({ name }) => `${name}_FILE`);
  expect(files).toContain('SMTP_URL_FILE');
  for (const name of [...read, ...files]) expect(example).toMatch(new RegExp(`^#${name}=`, 'm'));
});
