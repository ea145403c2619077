import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { limitKeys, slidingWindowScript } from './redis-rate-limiter.ts';

/**
 * For each version of the layout, the digest of the script that writes it, computed without comments. The names of the
 * version's keys are the property names. Processes of two versions can run simultaneously, so never change a line. If
 * the script stores data differently, increase the number in `limitKeys` and add a line. Replace the digest only if the
 * script still stores the same data.
 */
const scripts: Readonly<Record<string, string>> = {
  'portico:ID:limit:1:SUBJECT': 'a5ee26cc4b958ade',
  'portico:ID:limit:2:log:SUBJECT': 'ac108482db4f14b9',
};

const codeOf = (script: string): string =>
  script
    .replaceAll(/--.*$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');

test('a script that stores counts differently has keys of a different version', () => {
  const digest = createHash('sha256').update(codeOf(slidingWindowScript)).digest('hex').slice(0, 16);
  expect(scripts[limitKeys('ID', 'SUBJECT').log]).toBe(digest);
});
