import { cacheContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createInProcessCache } from './in-process-cache.ts';

const kilobyte = (): Uint8Array => new Uint8Array(1024);

for (const [sentence, check] of Object.entries(cacheContract)) {
  test(sentence, () => check(createInProcessCache({ maxBytes: 1_048_576 })));
}

test('what was not asked for the longest gives way to what is new', async () => {
  const cache = createInProcessCache({ maxBytes: 4096 });
  await cache.set('a', kilobyte());
  await cache.set('b', kilobyte());
  await cache.set('c', kilobyte());
  await cache.get('a');
  await cache.set('d', kilobyte());
  const kept = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)));
  expect(kept.map((value) => value !== undefined)).toEqual([true, false, true, true]);
});

test('a value that does not fit is not kept, and drives nothing out', async () => {
  const cache = createInProcessCache({ maxBytes: 4096 });
  await cache.set('small', kilobyte());
  await cache.set('large', new Uint8Array(5000));
  expect(await cache.get('large')).toBeUndefined();
  expect(await cache.get('small')).toBeDefined();
});

test('many empty values do not fill the memory', async () => {
  const cache = createInProcessCache({ maxBytes: 10_000 });
  for (let i = 0; i < 1000; i++) await cache.set(`key ${i}`, new Uint8Array());
  const kept = await Promise.all(Array.from({ length: 1000 }, (_, i) => cache.get(`key ${i}`)));
  expect(kept.filter((value) => value !== undefined).length).toBeLessThanOrEqual(50);
});

test('a small part of a large buffer does not keep the buffer alive', async () => {
  const cache = createInProcessCache({ maxBytes: 10_000 });
  await cache.set('part', new Uint8Array(1_000_000).subarray(0, 10));
  expect((await cache.get('part'))?.buffer.byteLength).toBe(10);
});
