import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { createCensor } from './censor.ts';

const key = `${'k'.repeat(43)}=`;

test.each([
  [{ DATABASE_URL: 'postgresql://me:p%40ss-word@host/db' }, 'it said p@ss-word, p%40ss-word', 'it said ***, ***'],
  [
    { OLLAMA_URL: 'http://me:hunter2@host' },
    'cannot reach http://me:hunter2@host/api',
    'cannot reach http://me:***@host/api',
  ],
  [{ QDRANT_API_KEY: 'a.key+1' }, 'a.key+1 is not valid, aXkey+1 is', '*** is not valid, aXkey+1 is'],
  [{ SECRETS_KEY_PREVIOUS: `${key}, ${key.toUpperCase()}` }, `${key} ${key.toUpperCase()}`, '*** ***'],
  [{ REDIS_URL: 'redis://:pass@host' }, 'WRONGPASS invalid password', 'WRONGPASS invalid password'],
  [{ REDIS_URL: 'redis://:abc@host' }, 'abc', 'abc'],
  [{ HOST: 'host-of-mine' }, 'host-of-mine', 'host-of-mine'],
])('%j: %s', (environment, text, expected) => {
  expect(createCensor(environment)(text)).toBe(expected);
});

test('secrets in files are censored too; a missing file contains none', () => {
  const folder = createTemporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'url'), 'smtps://me:hunter2@host\n');
  writeFileSync(join(folder, 'key'), `${key}\n`);
  const censor = createCensor({
    SMTP_URL_FILE: join(folder, 'url'),
    SECRETS_KEY_FILE: join(folder, 'key'),
    QDRANT_API_KEY_FILE: join(folder, 'nowhere'),
  });
  expect(censor(`hunter2 ${key} ${folder}`)).toBe(`*** *** ${folder}`);
});
