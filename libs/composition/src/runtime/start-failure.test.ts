import { DatabaseUnavailableError } from '@portico/sql';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../environment.ts';
import { toStartFailure } from './start-failure.ts';

test('the exit code recommends a retry if the database is unreachable, but not if the configuration is wrong', () => {
  expect(toStartFailure(new DatabaseUnavailableError('no response'))).toEqual({
    message: 'no response',
    exitCode: 75,
  });
  const failure = toStartFailure(new ConfigurationError(['PORT: read "x", expected a number']));
  expect(failure).toEqual({ message: expect.stringContaining('PORT: read "x"') as string, exitCode: 1 });
  expect(failure.message).not.toContain('at ');
});

const createError = (fields: object, message = 'it failed'): Error => Object.assign(new Error(message), fields);

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
])('%s is reported in one sentence', (error, expected) => {
  const { message: text, exitCode } = toStartFailure(error);
  expect(text).toContain(expected);
  expect(text).not.toContain('\n');
  expect(exitCode).toBe(1);
});

test.each(['SQLITE_ERROR', '42601', '22P02'])(
  'a statement that the database rejects (%s) is reported as a bug',
  (code) => {
    expect(toStartFailure(createError({ code })).message).toMatch(/\n +at /);
  },
);

test('a bug with another bug as its cause is reported as a bug', () => {
  expect(toStartFailure(new Error('oh', { cause: new TypeError('no') })).message).toMatch(/\n +at /);
});

test('a bug is reported with its stack trace, and the exit code is 1', () => {
  const { message: text, exitCode } = toStartFailure(new TypeError('oh'));
  expect(text).toMatch(/TypeError: oh\n +at /);
  expect(exitCode).toBe(1);
});
