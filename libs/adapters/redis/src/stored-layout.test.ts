import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { limitKeys, slidingWindowScript } from './redis-rate-limiter.ts';

/**
 * The script that writes each version of the layout, by the name of its keys: a digest of its code without comments.
 * Processes of two versions run side by side, so a line is never changed. If the script stores anything in another way,
 * increase the number in `limitKeys` and add a line. If it stores the same, only then replace the digest.
 */
const scripts: Readonly<Record<string, string>> = {
  'portico:ID:limit:1:SUBJECT': 'a5ee26cc4b958ade',
  'portico:ID:limit:2:log:SUBJECT': '0f567949b77449cb',
};

const codeOf = (script: string): string =>
  script
    .replaceAll(/--.*$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');

test('a script that stores counts in another way has keys of another version', () => {
  const digest = createHash('sha256').update(codeOf(slidingWindowScript)).digest('hex').slice(0, 16);
  expect(scripts[limitKeys('ID', 'SUBJECT').log]).toBe(digest);
});
