import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sharedInTurn } from './shared-in-turn.ts';

/** Opens `sealed NAME` at the place `NAME`, and notes what it opened. */
const counted = () => {
  const opened: string[] = [];
  const open = sharedInTurn((sealed, context) => {
    opened.push(sealed);
    if (sealed !== `sealed ${context}`) throw new Error('sealed for another place');
    return `text of ${context}`;
  });
  return { opened, open };
};

test('who asks while others still run gets what was opened for them', async () => {
  const { opened, open } = counted();
  const read = async (awaited: number) => {
    for (let i = 0; i < awaited; i += 1) await Promise.resolve();
    return open('sealed a', 'a');
  };
  expect(await Promise.all([read(0), read(1), read(10)])).toEqual(['text of a', 'text of a', 'text of a']);
  expect(opened).toEqual(['sealed a']);
});

test('once nothing runs any more it is opened again', async () => {
  const { opened, open } = counted();
  open('sealed a', 'a');
  for (let i = 0; i < 2; i += 1) await new Promise<void>((resolve) => process.nextTick(resolve));
  open('sealed a', 'a');
  await setImmediate();
  open('sealed a', 'a');
  expect(opened).toEqual(['sealed a', 'sealed a', 'sealed a']);
});

test('what was opened at its own place does not open at another', () => {
  const { opened, open } = counted();
  open('sealed a', 'a');
  expect(() => open('sealed a', 'b')).toThrow('another place');
  expect(open('sealed a', 'a')).toBe('text of a');
  expect(opened).toEqual(['sealed a', 'sealed a']);
});

test('a failure is not shared', () => {
  const { opened, open } = counted();
  for (let i = 0; i < 2; i += 1) expect(() => open('sealed a', 'b')).toThrow('another place');
  expect(opened).toEqual(['sealed a', 'sealed a']);
});

test('no more than 32 are kept', () => {
  const { opened, open } = counted();
  const names = Array.from({ length: 33 }, (_, number) => String(number));
  for (let i = 0; i < 2; i += 1) for (const name of names) open(`sealed ${name}`, name);
  expect(opened).toEqual([...names, '32'].map((name) => `sealed ${name}`));
});
