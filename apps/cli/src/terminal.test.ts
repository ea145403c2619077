import { PassThrough } from 'node:stream';
import { createLogger } from '@portico/composition';
import { expect, test } from 'vitest';
import { createSentenceStream } from './sentence-stream.ts';
import { formatCount, createTerminal, toSafeLine } from './terminal.ts';

/** Returns the output of a terminal for this result. */
const outputOf = (json: boolean, value: unknown, lines: readonly string[]): string => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  createTerminal(json, { stdin, stdout, stderr }).printResult(value, lines);
  return (stdout.read() as Buffer).toString();
};

/** A control character of each kind, and characters that change the text direction or end a line. */
const controlText = 'a\u0000b\u001b[2Jc\u0085d\u2028e\u2029f\u202eg\u2066h\u061ci\r\nj\tk';

test('a line is shown without control characters, but with its indentation', () => {
  expect(toSafeLine(`  ${controlText}`)).toBe('  a b [2Jc d e f g h i j k');
  expect(toSafeLine('id  name  (file)')).toBe('id  name  (file)');
});

test('text printed for people has no control characters', () => {
  expect(outputOf(false, {}, [controlText, '  two'])).toBe('a b [2Jc d e f g h i j k\n  two\n');
});

test('JSON keeps the value and escapes every character that a terminal would interpret', () => {
  const text = outputOf(true, { name: controlText }, []);
  expect(JSON.parse(text)).toEqual({ name: controlText });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test.each([
  [1, '1 violation'],
  [0, '0 violations'],
  [2, '2 violations'],
])('%i is counted as %s', (count, text) => {
  expect(formatCount(count, 'violation')).toBe(text);
});

test('a log line becomes a sentence with the message of its error and without the stack', () => {
  const lines: string[] = [];
  const logger = createLogger(
    'info',
    'portico',
    createSentenceStream((text) => lines.push(text), false),
  );
  logger.warn({ err: new Error(`no answer ${controlText}`) }, 'The database cannot be reached');
  logger.error('A part did not close');
  logger.info({ secret: 'hidden' }, 'No admin could sign in');
  expect(lines).toEqual([
    'portico: warning: The database cannot be reached: no answer a b [2Jc d e f g h i j k\n',
    'portico: error: A part did not close\n',
    'portico: No admin could sign in\n',
  ]);
});

test('with stacks on, a log line is followed by its stack', () => {
  const lines: string[] = [];
  createLogger(
    'debug',
    'portico',
    createSentenceStream((text) => lines.push(text), true),
  ).warn(new Error('oh'));
  expect(lines.join('')).toMatch(/warning: oh\nError: oh\n +at /);
});
