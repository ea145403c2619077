import { recordingStream } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { createLogger } from './logging.ts';

test('a secret that is logged under its name is redacted', () => {
  const { stream, written } = recordingStream();
  const secrets = {
    authorization: 's3cret',
    client_secret: 's3cret',
    token: 's3cret',
    value: 's3cret',
    'x-api-key': 's3cret',
  };
  createLogger('info', 'test', stream).info({ ...secrets, route: '/health' }, 'said');
  expect(written.join()).toContain('"route":"/health"');
  expect(written.join()).not.toContain('s3cret');
});
