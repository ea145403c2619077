import { expect, test } from 'vitest';
import { createBodyCache, type TaggedBody } from './body-cache.ts';

const body = (value: number, length = 1_000): TaggedBody => ({
  etag: `"${value}"`,
  bytes: new Uint8Array(length).fill(value),
});

test('a body is found only under its exact name', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  const names = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
  for (const [at, name] of names.entries()) bodies.keep(name, body(at));
  for (const [at, name] of names.entries()) expect(bodies.get(name)).toEqual(body(at));
  expect(bodies.get('b')).toBeUndefined();
});

test('an empty body is kept too', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  bodies.keep('empty', body(0, 0));
  expect(bodies.get('empty')).toEqual(body(0, 0));
});

test('the least recently used bodies are evicted first, and no more than necessary', () => {
  const bodies = createBodyCache({ bytesMax: 15_000 });
  for (let at = 0; at < 10; at++) bodies.keep(`${at}`, body(at));
  expect(bodies.get('0')).toEqual(body(0));
  bodies.keep('10', body(10));
  const kept = Array.from({ length: 11 }, (_, at) => at).filter((at) => bodies.get(`${at}`));
  expect(kept).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a body larger than a quarter of the cache is not kept, and evicts nothing', () => {
  const bodies = createBodyCache({ bytesMax: 40_000 });
  bodies.keep('small', body(1));
  bodies.keep('large', body(2, 10_000));
  expect(bodies.get('large')).toBeUndefined();
  expect(bodies.get('small')).toEqual(body(1));
});

test('many empty bodies do not fill the memory', () => {
  const bodies = createBodyCache({ bytesMax: 10_000 });
  const names = Array.from({ length: 1_000 }, (_, at) => `${at}`);
  for (const name of names) bodies.keep(name, body(1, 0));
  expect(names.filter((name) => bodies.get(name)).length).toBeLessThanOrEqual(20);
});

test('a view of a larger buffer does not keep the whole buffer alive', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  bodies.keep('part', { etag: '""', bytes: new Uint8Array(50_000).subarray(0, 10) });
  expect(bodies.get('part')?.bytes.buffer.byteLength).toBe(10);
});
