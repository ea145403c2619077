import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '@portico/composition';
import { root } from '../src/service-process.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name).toSorted();

/** The chapters of the example: for both, only for the stack, only for a service without it. */
const chapters = textOf('.env.example').split(/^# == .*$/m);
const [, forBoth = '', forTheStack = '', without = ''] = chapters;
const variables = (text: string): readonly string[] => namesIn(text, /^#?([A-Z_]+)=/gm);

/** Read by Compose itself, and named in deploy/identity.env. */
const composeOwn = 'COMPOSE_PROFILES';

test('the example names every variable of the service, and no unknown one', () => {
  const source = textOf('libs/composition/src/environment.ts');
  const [, secrets = ''] = /^const secrets = \[([^\]]*)\]/m.exec(source) ?? [];
  const [, schema = ''] = /^const schema = z\.object\(\{\n(.*?)^\}\);/ms.exec(source) ?? [];
  const files = namesIn(secrets, /'([A-Z_]+)'/g).map((name) => `${name}_FILE`);
  const known = new Set([...namesIn(schema, /^ {2}([A-Z_]+):/gm), ...files]);
  expect(known).toContain('SECRETS_KEY_PREVIOUS_FILE');
  expect([...variables(forBoth), ...variables(without)].toSorted()).toEqual([...known].toSorted());
});

test('the example says which variables docker-compose.yml reads', () => {
  const stack = textOf('docker-compose.yml');
  const read = new Set([...namesIn(stack, /^ {4}- ([A-Z_]+)$/gm), ...namesIn(stack, /\$\{([A-Z_]+)/g), composeOwn]);
  expect([...variables(forBoth), ...variables(forTheStack)].toSorted()).toEqual([...read].toSorted());
});

test('the defaults of the example are those of the service', () => {
  const set = [...`${forBoth}${without}`.matchAll(/^#([A-Z_]+)=(.+)$/gm)];
  const given = Object.fromEntries(set.map(([, name = '', value = '']) => [name, value.replace(/^'(.*)'$/, '$1')]));
  expect(given).toHaveProperty('RATE_LIMIT_DEFAULT', '600/60');
  expect(readConfig(given)).toEqual(readConfig({}));
});

test('nothing in the example is set', () => {
  expect(namesIn(textOf('.env.example'), /^([A-Z_]+)=/gm)).toEqual([]);
});
