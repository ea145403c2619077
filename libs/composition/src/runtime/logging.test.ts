import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from './logging.ts';

test('a secret that is logged under its name is redacted', () => {
  let written = '';
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const secrets = {
    authorization: 's3cret',
    client_secret: 's3cret',
    token: 's3cret',
    value: 's3cret',
    'x-api-key': 's3cret',
  };
  createLogger('info', 'test', destination).info({ ...secrets, route: '/health' }, 'said');
  expect(written).toContain('"route":"/health"');
  expect(written).not.toContain('s3cret');
});
