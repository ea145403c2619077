import { MessagePort } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { received, sent } from './portions.ts';

const list = (length: number) => Array.from({ length }, (_, place) => ({ place }));

describe('a list that goes to another thread', () => {
  test('arrives as it was, in one message or in portions', async () => {
    for (const length of [0, 1, 512, 513, 1_024, 1_025]) {
      expect(await received(sent(list(length)))).toEqual(list(length));
    }
  });

  test('comes on a port if it is longer than a portion', () => {
    expect(sent(list(512))).toEqual(list(512));
    expect(sent(list(513))).toBeInstanceOf(MessagePort);
  });

  test('lets others have their turn between its portions', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      again = setImmediate(count);
    };
    let again = setImmediate(count);
    let ms = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4));
    onTestFinished(() => clock.mockRestore());
    await received(sent(list(10 * 512)));
    clearImmediate(again);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
