import { DatabaseUnavailableError } from '@portico/sql';
import { expect, test } from 'vitest';
import { ConfigurationError } from './environment.ts';
import { startFailure } from './start-failure.ts';

test('a database that cannot be reached is worth another start; what is configured wrongly is not', () => {
  expect(startFailure(new DatabaseUnavailableError('nobody answers'))).toEqual({
    said: 'nobody answers',
    exitCode: 75,
  });
  const wrong = startFailure(new ConfigurationError(['PORT: read "x", allowed is a number']));
  expect(wrong).toEqual({ said: expect.stringContaining('PORT: read "x"') as string, exitCode: 1 });
  expect(wrong.said).not.toContain('at ');
});

test('a bug is shown with its stack, and ends with 1', () => {
  const { said, exitCode } = startFailure(new TypeError('oh'));
  expect(said).toMatch(/TypeError: oh\n +at /);
  expect(exitCode).toBe(1);
});
