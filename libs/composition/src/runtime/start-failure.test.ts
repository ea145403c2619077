import { DatabaseUnavailableError } from '@portico/sql';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../environment.ts';
import { startFailure } from './start-failure.ts';

test('an unreachable database is worth another start; a wrong configuration is not', () => {
  expect(startFailure(new DatabaseUnavailableError('no response'))).toEqual({
    message: 'no response',
    exitCode: 75,
  });
  const wrong = startFailure(new ConfigurationError(['PORT: read "x", expected a number']));
  expect(wrong).toEqual({ message: expect.stringContaining('PORT: read "x"') as string, exitCode: 1 });
  expect(wrong.message).not.toContain('at ');
});

const createError = (facts: object, message = 'it failed'): Error => Object.assign(new Error(message), facts);

test.each([
  [
    createError({ syscall: 'mkdir', code: 'EACCES' }, "EACCES: permission denied, mkdir '/data'"),
    "denied, mkdir '/data'",
  ],
  [createError({ syscall: 'write', code: 'ENOSPC' }, 'ENOSPC: no space left on device, write'), 'no space left'],
  [createError({ syscall: 'getaddrinfo', code: 'ENOTFOUND' }, 'getaddrinfo ENOTFOUND nowhere'), 'ENOTFOUND nowhere'],
  [
    createError({ syscall: 'listen', code: 'EADDRINUSE', address: '127.0.0.1', port: 3000 }),
    'HOST and PORT: 127.0.0.1:3000 is in use: stop the process that listens there, or choose another port (EADDRINUSE)',
  ],
  [createError({ code: 'SQLITE_FULL' }, 'database or disk is full'), 'The database failed: database or disk is full'],
  [createError({ code: 'SQLITE_BUSY' }, 'database is locked'), 'The database failed: database is locked (SQLITE_BUSY)'],
  [createError({ code: '57P01' }, 'terminating connection'), 'The database failed: terminating connection (57P01)'],
  [createError({}, 'Connection terminated unexpectedly'), 'The database failed: Connection terminated'],
  [
    new TypeError('fetch failed', {
      cause: createError({ syscall: 'connect', code: 'ECONNREFUSED' }, 'connect ECONNREFUSED'),
    }),
    'fetch failed: connect ECONNREFUSED',
  ],
  [
    new AggregateError([createError({ syscall: 'connect', code: 'ECONNREFUSED' }, 'connect ECONNREFUSED')]),
    'connect ECONN',
  ],
])('%s is reported in one sentence', (error, sentence) => {
  const { message: text, exitCode } = startFailure(error);
  expect(text).toContain(sentence);
  expect(text).not.toContain('\n');
  expect(exitCode).toBe(1);
});

test.each(['SQLITE_ERROR', '42601', '22P02'])('a statement that the database rejects (%s) is a bug', (code) => {
  expect(startFailure(createError({ code })).message).toMatch(/\n +at /);
});

test('a bug caused by another bug is a bug', () => {
  expect(startFailure(new Error('oh', { cause: new TypeError('no') })).message).toMatch(/\n +at /);
});

test('a bug is reported with its stack trace, and the exit code is 1', () => {
  const { message: text, exitCode } = startFailure(new TypeError('oh'));
  expect(text).toMatch(/TypeError: oh\n +at /);
  expect(exitCode).toBe(1);
});
