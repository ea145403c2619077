import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './service-process.ts';

/** The variables that the image sets, by the lines of its Dockerfile that begin with `ENV`. */
export const imageVariables = (): Readonly<Record<string, string>> => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const pairs = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
};
