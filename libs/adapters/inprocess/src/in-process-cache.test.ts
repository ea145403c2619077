import { cacheContract, ClockByHand } from '@portico/contracts';
import { cachedMax, cachedMs } from '@portico/domain';
import { expect, test } from 'vitest';
import { createInProcessCache } from './in-process-cache.ts';

for (const [sentence, check] of Object.entries(cacheContract)) {
  test(sentence, () => check(createInProcessCache({ clock: new ClockByHand() })));
}

test('a value is gone after seven days', async () => {
  const clock = new ClockByHand();
  const cache = createInProcessCache({ clock });
  await cache.put('a', new Uint8Array(3));
  clock.advance(cachedMs - 1);
  expect(await cache.get('a')).not.toBeNull();
  clock.advance(1);
  expect(await cache.get('a')).toBeNull();
});

test('the oldest of too many are gone', async () => {
  const cache = createInProcessCache({ clock: new ClockByHand() });
  for (let at = 0; at <= cachedMax; at++) await cache.put(`key ${at}`, new Uint8Array(3));
  expect(await cache.get('key 0')).toBeNull();
  expect(await cache.get('key 1')).not.toBeNull();
  expect(await cache.get(`key ${cachedMax}`)).not.toBeNull();
});
