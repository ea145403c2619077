import { createRecordingStream } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { createLogger } from './logging.ts';

test('a secret that is logged with its field name is redacted', () => {
  const { stream, chunks: lines } = createRecordingStream();
  const secrets = {
    authorization: 's3cret',
    client_secret: 's3cret',
    token: 's3cret',
    value: 's3cret',
    'x-api-key': 's3cret',
  };
  createLogger('info', 'test', stream).info({ ...secrets, route: '/health' }, 'said');
  expect(lines.join()).toContain('"route":"/health"');
  expect(lines.join()).not.toContain('s3cret');
});
