import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './service-process.ts';

/** Returns the variables that the image sets, from the `ENV` lines of its Dockerfile. */
export const readImageVariables = (): Readonly<Record<string, string>> => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const lines = dockerfile.match(/^ENV .*$/gm) ?? [];
  const pairs = lines.join(' ').matchAll(/(\w+)=(\S+)/g);
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, value]));
};
