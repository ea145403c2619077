import { expect, test } from 'vitest';
import { createBodyCache, type SharedBodies, type TaggedBody } from './body-cache.ts';

const body = (value: number, length = 1_000): TaggedBody => ({
  etag: `"${value}"`,
  bytes: new Uint8Array(length).fill(value),
});
const near = (bytesMax: number) => createBodyCache({ bytesMax, shared: null });
const tagOf = (bytes: Uint8Array) => `"${bytes[0]}"`;
const mustNotMake = () => Promise.reject(new Error('It was made again'));

/** A shared cache, as another process left it. */
const createShared = (): SharedBodies & { readonly kept: Map<string, Uint8Array> } => {
  const kept = new Map<string, Uint8Array>();
  return { kept, get: async (name) => kept.get(name), set: async (name, bytes) => void kept.set(name, bytes) };
};

test('a body is found only under its exact name', () => {
  const bodies = near(100_000);
  const names = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
  for (const [at, name] of names.entries()) bodies.keep(name, body(at));
  for (const [at, name] of names.entries()) expect(bodies.get(name)).toEqual(body(at));
  expect(bodies.get('b')).toBeUndefined();
});

test('an empty body is kept too', () => {
  const bodies = near(100_000);
  bodies.keep('empty', body(0, 0));
  expect(bodies.get('empty')).toEqual(body(0, 0));
});

test('the least recently used bodies are evicted first, and no more than necessary', () => {
  const bodies = near(15_000);
  for (let at = 0; at < 10; at++) bodies.keep(`${at}`, body(at));
  expect(bodies.get('0')).toEqual(body(0));
  bodies.keep('10', body(10));
  const kept = Array.from({ length: 11 }, (_, at) => at).filter((at) => bodies.get(`${at}`));
  expect(kept).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a body larger than a quarter of the cache is not kept, and evicts nothing', () => {
  const bodies = near(40_000);
  bodies.keep('small', body(1));
  bodies.keep('large', body(2, 10_000));
  expect(bodies.get('large')).toBeUndefined();
  expect(bodies.get('small')).toEqual(body(1));
});

test('many empty bodies do not fill the memory', () => {
  const bodies = near(10_000);
  const names = Array.from({ length: 1_000 }, (_, at) => `${at}`);
  for (const name of names) bodies.keep(name, body(1, 0));
  expect(names.filter((name) => bodies.get(name)).length).toBeLessThanOrEqual(20);
});

test('a view of a larger buffer does not keep the whole buffer alive', () => {
  const bodies = near(100_000);
  bodies.keep('part', { etag: '""', bytes: new Uint8Array(50_000).subarray(0, 10) });
  expect(bodies.get('part')?.bytes.buffer.byteLength).toBe(10);
});

test('a body is made only once, in this process and in those that share the cache', async () => {
  const shared = createShared();
  const [one, other] = [0, 1].map(() => createBodyCache({ bytesMax: 100_000, shared }));
  const made = await one!.getOrMake('list', tagOf, async () => body(7).bytes);
  expect(made).toEqual(body(7));
  expect(await one!.getOrMake('list', tagOf, mustNotMake)).toEqual(made);
  expect(await other!.getOrMake('list', tagOf, mustNotMake)).toEqual(made);
  await expect(other!.getOrMake('another list', tagOf, mustNotMake)).rejects.toThrow('made again');
});

test('a body fetched from the shared cache is kept in this process, and not tagged again', async () => {
  const shared = createShared();
  shared.kept.set('list', body(7).bytes);
  const bodies = createBodyCache({ bytesMax: 100_000, shared });
  await bodies.getOrMake('list', tagOf, mustNotMake);
  shared.kept.clear();
  const mustNotTag = () => {
    throw new Error('It was tagged again');
  };
  expect(await bodies.getOrMake('list', mustNotTag, mustNotMake)).toEqual(body(7));
  expect(shared.kept.size).toBe(0);
});

test('a body that only this process keeps is not shared', async () => {
  const shared = createShared();
  createBodyCache({ bytesMax: 100_000, shared }).keep('one', body(1));
  expect(shared.kept.size).toBe(0);
});
