import { MessagePort } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { received, sent } from './portions.ts';

const list = (length: number) => Array.from({ length }, (_, place) => ({ place }));

describe('a list that goes to another thread', () => {
  test('arrives as it was, in one message or in portions', async () => {
    for (const length of [0, 1, 512, 513, 1_024, 1_025]) {
      expect(await received(sent(list(length)), async () => undefined)).toEqual(list(length));
    }
  });

  test('comes on a port if it is longer than a portion', () => {
    expect(sent(list(512))).toEqual(list(512));
    expect(sent(list(513))).toBeInstanceOf(MessagePort);
  });

  test('yields to the event loop after each portion', async () => {
    const yieldToEventLoop = vi.fn(async () => undefined);
    await received(sent(list(10 * 512)), yieldToEventLoop);
    expect(yieldToEventLoop).toHaveBeenCalledTimes(10);
  });
});
