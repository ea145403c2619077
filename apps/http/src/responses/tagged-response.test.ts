import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBodyCache, encodeList, type TaggedBody } from './tagged-response.ts';

test.each([0, 1, 999, 1_000, 1_001, 2_500])('a list of %i items is encoded as JSON', async (count) => {
  const list = Array.from({ length: count }, (_, index) => ({ at: index, text: 'Straße, "A"' }));
  const expected = JSON.stringify(list);
  expect(Buffer.from(await encodeList(list, 'identity')).toString()).toBe(expected);
  expect(gunzipSync(await encodeList(list, 'gzip')).toString()).toBe(expected);
});

test('encoding a long list yields to the event loop', async () => {
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4));
  onTestFinished(() => clock.mockRestore());
  const order: string[] = [];
  const encoding = encodeList(Array<string>(3_000).fill('an item'), 'identity').then(() => order.push('encoded'));
  setImmediate(() => order.push('another'));
  await encoding;
  expect(order).toEqual(['another', 'encoded']);
});

const createBody = (value: number, length = 1_000): TaggedBody => ({
  etag: `"${value}"`,
  bytes: new Uint8Array(length).fill(value),
});

test('a body is cached only under its exact name', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  const names = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
  for (const [index, name] of names.entries()) bodies.set(name, createBody(index));
  for (const [index, name] of names.entries()) expect(bodies.get(name)).toEqual(createBody(index));
  expect(bodies.get('b')).toBeUndefined();
});

test('an empty body is cached too', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  bodies.set('empty', createBody(0, 0));
  expect(bodies.get('empty')).toEqual(createBody(0, 0));
});

test('the least recently used bodies are evicted first, and only as many as necessary', () => {
  const bodies = createBodyCache({ bytesMax: 15_000 });
  for (let index = 0; index < 10; index++) bodies.set(`${index}`, createBody(index));
  expect(bodies.get('0')).toEqual(createBody(0));
  bodies.set('10', createBody(10));
  const cachedIndexes = Array.from({ length: 11 }, (_, index) => index).filter((index) => bodies.get(`${index}`));
  expect(cachedIndexes).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a body larger than a quarter of the cache is not cached, and evicts nothing', () => {
  const bodies = createBodyCache({ bytesMax: 40_000 });
  bodies.set('small', createBody(1));
  bodies.set('large', createBody(2, 10_000));
  expect(bodies.get('large')).toBeUndefined();
  expect(bodies.get('small')).toEqual(createBody(1));
});

test('the number of cached empty bodies is limited', () => {
  const bodies = createBodyCache({ bytesMax: 10_000 });
  const names = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  for (const name of names) bodies.set(name, createBody(1, 0));
  expect(names.filter((name) => bodies.get(name)).length).toBeLessThanOrEqual(20);
});

test('a view of a larger buffer does not keep the whole buffer alive', () => {
  const bodies = createBodyCache({ bytesMax: 100_000 });
  bodies.set('part', { etag: '""', bytes: new Uint8Array(50_000).subarray(0, 10) });
  expect(bodies.get('part')?.bytes.buffer.byteLength).toBe(10);
});
