import { createLogger } from '@portico/composition';
import { expect, test } from 'vitest';
import { createSentences } from './sentences.ts';
import { counted, createTerminal, shownLine } from './terminal.ts';

/** What a terminal writes of this result. */
const written = (json: boolean, value: unknown, lines: readonly string[]): string => {
  const texts: string[] = [];
  createTerminal(json, (text) => void texts.push(text)).result(value, lines);
  return texts.join('');
};

/** A control character of each kind, and what steers the direction of a text or ends a line. */
const steering = 'a\u0000b\u001b[2Jc\u0085d\u2028e\u2029f\u202eg\u2066h\u061ci\r\nj\tk';

test('a line is read, and does nothing else; its indent stays', () => {
  expect(shownLine(`  ${steering}`)).toBe('  a b [2Jc d e f g h i j k');
  expect(shownLine('id  name  (file)')).toBe('id  name  (file)');
});

test('what is printed for people is clean, whoever wrote it', () => {
  expect(written(false, {}, [steering, '  two'])).toBe('a b [2Jc d e f g h i j k\n  two\n');
});

test('what is printed as JSON is the same value, without a character that a terminal takes for more', () => {
  const text = written(true, { name: steering }, []);
  expect(JSON.parse(text)).toEqual({ name: steering });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test.each([
  [1, '1 departure'],
  [0, '0 departures'],
  [2, '2 departures'],
])('%i is counted as %s', (count, text) => {
  expect(counted(count, 'departure')).toBe(text);
});

test('a log line is a sentence, with what its error says and without its stack', () => {
  const said: string[] = [];
  const logger = createLogger(
    'info',
    'portico',
    createSentences((text) => said.push(text), false),
  );
  logger.warn({ err: new Error(`nobody answers ${steering}`) }, 'The database cannot be reached');
  logger.error('A part did not close');
  logger.info({ secret: 'hidden' }, 'No admin could sign in');
  expect(said).toEqual([
    'portico: warning: The database cannot be reached: nobody answers a b [2Jc d e f g h i j k\n',
    'portico: error: A part did not close\n',
    'portico: No admin could sign in\n',
  ]);
});

test('whoever asks for more of the log is shown the stack too', () => {
  const said: string[] = [];
  createLogger(
    'debug',
    'portico',
    createSentences((text) => said.push(text), true),
  ).warn(new Error('oh'));
  expect(said.join('')).toMatch(/warning: oh\nError: oh\n +at /);
});
