import { cacheContract, ManualClock } from '@portico/contracts';
import { cacheEntriesMax, cacheTtlMs } from '@portico/domain';
import { expect, test } from 'vitest';
import { createInProcessCache } from './in-process-cache.ts';

for (const [title, check] of Object.entries(cacheContract)) {
  test(title, () => check(createInProcessCache({ clock: new ManualClock() })));
}

test('a value expires after seven days', async () => {
  const clock = new ManualClock();
  const cache = createInProcessCache({ clock });
  await cache.put('a', new Uint8Array(3));
  clock.advance(cacheTtlMs - 1);
  expect(await cache.get('a')).not.toBeNull();
  clock.advance(1);
  expect(await cache.get('a')).toBeNull();
});

test('the oldest values are evicted when there are too many', async () => {
  const cache = createInProcessCache({ clock: new ManualClock() });
  for (let index = 0; index <= cacheEntriesMax; index++) await cache.put(`key ${index}`, new Uint8Array(3));
  expect(await cache.get('key 0')).toBeNull();
  expect(await cache.get('key 1')).not.toBeNull();
  expect(await cache.get(`key ${cacheEntriesMax}`)).not.toBeNull();
});
