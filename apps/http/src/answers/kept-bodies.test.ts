import { expect, test } from 'vitest';
import { keepBodies } from './kept-bodies.ts';

const body = (value: number, length = 1_000) => new Uint8Array(length).fill(value);

test('a body is found under its name alone', () => {
  const bodies = keepBodies(100_000);
  bodies.keep('a', body(1));
  bodies.keep('b', body(2));
  expect(bodies.get('a')).toEqual(body(1));
  expect(bodies.get('b')).toEqual(body(2));
  expect(bodies.get('c')).toBeUndefined();
});

test('what was not asked for the longest gives way, and no more of it than must', () => {
  const bodies = keepBodies(14_000);
  for (let at = 0; at < 10; at++) bodies.keep(`${at}`, body(at));
  expect(bodies.get('0')).toEqual(body(0));
  bodies.keep('10', body(10));
  const kept = Array.from({ length: 11 }, (_, at) => at).filter((at) => bodies.get(`${at}`));
  expect(kept).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a body of more than an eighth of the room is not kept, and takes no place from others', () => {
  const bodies = keepBodies(80_000);
  bodies.keep('small', body(1));
  bodies.keep('large', body(2, 10_000));
  expect(bodies.get('large')).toBeUndefined();
  expect(bodies.get('small')).toEqual(body(1));
});

test('a part of a larger buffer does not keep the whole of it', () => {
  const bodies = keepBodies(100_000);
  bodies.keep('part', body(1, 50_000).subarray(0, 10));
  expect(bodies.get('part')?.buffer.byteLength).toBe(10);
});
