import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatherLines } from './gathered-lines.ts';

const flushMs = 100;
/** Three bytes are set aside for each UTF-16 unit, so a line of this length is the longest that is gathered. */
const lengthMax = Math.floor(65_536 / 3);

const ends = ['beforeExit', 'exit'] as const;
const listenersOf = (end: (typeof ends)[number]) => process.listeners(end as 'exit');
const before = new Map(ends.map((end) => [end, listenersOf(end)]));
const addedTo = (end: (typeof ends)[number]) => listenersOf(end).filter((one) => !before.get(end)?.includes(one));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends) for (const listener of addedTo(end)) process.off(end, listener);
});

const gathered = () => {
  const written: string[] = [];
  const lines = gatherLines(() => ({
    write: (text) => void written.push(text),
    flush: (done) => done?.(),
  }));
  return { lines, written };
};

test('lines wait for 100 ms after the first, and are handed on together, in their order', () => {
  const { lines, written } = gathered();
  lines.write('one\n');
  vi.advanceTimersByTime(flushMs - 1);
  lines.write('two\n');
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(written).toEqual(['one\ntwo\n']);
  vi.advanceTimersByTime(10 * flushMs);
  expect(written).toHaveLength(1);
  lines.write('three\n');
  vi.advanceTimersByTime(flushMs);
  expect(written).toEqual(['one\ntwo\n', 'three\n']);
});

test.each([
  ['one byte', 'a'],
  ['two bytes', 'é'],
  ['three bytes', '漢'],
  ['four bytes', '𝄞'],
])('characters of %s arrive as they were written', (_bytes, character) => {
  const { lines, written } = gathered();
  const line = `${character.repeat(1_000)}\n`;
  for (let i = 0; i < 50; i += 1) lines.write(line);
  lines.flush();
  expect(written.join('')).toBe(line.repeat(50));
});

test('a line for which there is no room is gathered after the others are handed on', () => {
  const { lines, written } = gathered();
  const longest = 'a'.repeat(lengthMax);
  lines.write('short\n');
  lines.write(longest);
  expect(written).toEqual(['short\n']);
  vi.advanceTimersByTime(flushMs);
  expect(written).toEqual(['short\n', longest]);
});

test('a line too long to be gathered is written at once, behind those that waited', () => {
  const { lines, written } = gathered();
  const tooLong = 'a'.repeat(lengthMax + 1);
  lines.write('short\n');
  lines.write(tooLong);
  expect(written).toEqual(['short\n', tooLong]);
});

test('flushing hands everything on before it is done', () => {
  const { lines, written } = gathered();
  lines.write('one\n');
  let isDone = false;
  lines.flush(() => {
    expect(written).toEqual(['one\n']);
    isDone = true;
  });
  expect(isDone).toBe(true);
});

test.each(ends)('what waits at %s is handed on before the listeners of the sink', (end) => {
  const order: string[] = [];
  const lines = gatherLines(() => {
    process.on(end, () => order.push('sink ends'));
    return { write: (text) => void order.push(text), flush: (done) => done?.() };
  });
  lines.write('last\n');
  for (const listener of addedTo(end)) listener.call(process, 0);
  expect(order).toEqual(['last\n', 'sink ends']);
});
