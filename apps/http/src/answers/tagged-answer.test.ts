import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodedList } from './tagged-answer.ts';

test.each([0, 1, 999, 1_000, 1_001, 2_500])('a list of %i is encoded as the JSON of the whole', async (count) => {
  const list = Array.from({ length: count }, (_, at) => ({ at, text: 'Straße, "A"' }));
  const expected = JSON.stringify(list);
  expect(Buffer.from(await encodedList(list, 'identity')).toString()).toBe(expected);
  expect(gunzipSync(await encodedList(list, 'gzip')).toString()).toBe(expected);
});

test('others have their turn while a long list is encoded', async () => {
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4));
  onTestFinished(() => clock.mockRestore());
  const order: string[] = [];
  const encoding = encodedList(Array<string>(3_000).fill('an item'), 'identity').then(() => order.push('encoded'));
  setImmediate(() => order.push('another'));
  await encoding;
  expect(order).toEqual(['another', 'encoded']);
});
