import { DatabaseUnavailableError } from '@portico/sql';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../environment.ts';
import { startFailure } from './start-failure.ts';

test('an unreachable database is worth another start; a wrong configuration is not', () => {
  expect(startFailure(new DatabaseUnavailableError('nobody answers'))).toEqual({
    said: 'nobody answers',
    exitCode: 75,
  });
  const wrong = startFailure(new ConfigurationError(['PORT: read "x", expected a number']));
  expect(wrong).toEqual({ said: expect.stringContaining('PORT: read "x"') as string, exitCode: 1 });
  expect(wrong.said).not.toContain('at ');
});

const failed = (facts: object, message = 'it failed'): Error => Object.assign(new Error(message), facts);

test.each([
  [failed({ syscall: 'mkdir', code: 'EACCES' }, "EACCES: permission denied, mkdir '/data'"), "denied, mkdir '/data'"],
  [failed({ syscall: 'write', code: 'ENOSPC' }, 'ENOSPC: no space left on device, write'), 'no space left'],
  [failed({ syscall: 'getaddrinfo', code: 'ENOTFOUND' }, 'getaddrinfo ENOTFOUND nowhere'), 'ENOTFOUND nowhere'],
  [
    failed({ syscall: 'listen', code: 'EADDRINUSE', address: '127.0.0.1', port: 3000 }),
    'HOST and PORT: 127.0.0.1:3000 is in use: stop the process that listens there, or choose another port (EADDRINUSE)',
  ],
  [failed({ code: 'SQLITE_FULL' }, 'database or disk is full'), 'The database failed: database or disk is full'],
  [failed({ code: 'SQLITE_BUSY' }, 'database is locked'), 'The database failed: database is locked (SQLITE_BUSY)'],
  [failed({ code: '57P01' }, 'terminating connection'), 'The database failed: terminating connection (57P01)'],
  [failed({}, 'Connection terminated unexpectedly'), 'The database failed: Connection terminated'],
  [
    new TypeError('fetch failed', {
      cause: failed({ syscall: 'connect', code: 'ECONNREFUSED' }, 'connect ECONNREFUSED'),
    }),
    'fetch failed: connect ECONNREFUSED',
  ],
  [new AggregateError([failed({ syscall: 'connect', code: 'ECONNREFUSED' }, 'connect ECONNREFUSED')]), 'connect ECONN'],
])('%s is reported in one sentence', (error, sentence) => {
  const { said, exitCode } = startFailure(error);
  expect(said).toContain(sentence);
  expect(said).not.toContain('\n');
  expect(exitCode).toBe(1);
});

test.each(['SQLITE_ERROR', '42601', '22P02'])('a statement that the database rejects (%s) is a bug', (code) => {
  expect(startFailure(failed({ code })).said).toMatch(/\n +at /);
});

test('a bug caused by another bug is a bug', () => {
  expect(startFailure(new Error('oh', { cause: new TypeError('no') })).said).toMatch(/\n +at /);
});

test('a bug is reported with its stack, and the exit code is 1', () => {
  const { said, exitCode } = startFailure(new TypeError('oh'));
  expect(said).toMatch(/TypeError: oh\n +at /);
  expect(exitCode).toBe(1);
});
