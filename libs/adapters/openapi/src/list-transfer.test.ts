import { MessagePort } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { receiveList, sendList } from './list-transfer.ts';

const list = (length: number) => Array.from({ length }, (_, place) => ({ place }));

describe('a list that is sent to another thread', () => {
  test('arrives unchanged, in one message or in chunks', async () => {
    for (const length of [0, 1, 512, 513, 1_024, 1_025]) {
      expect(await receiveList(sendList(list(length)), async () => undefined)).toEqual(list(length));
    }
  });

  test('is sent over a port if it is longer than a chunk', () => {
    expect(sendList(list(512))).toEqual(list(512));
    expect(sendList(list(513))).toBeInstanceOf(MessagePort);
  });

  test('yields to the event loop after each chunk', async () => {
    const yieldToEventLoop = vi.fn(async () => undefined);
    await receiveList(sendList(list(10 * 512)), yieldToEventLoop);
    expect(yieldToEventLoop).toHaveBeenCalledTimes(10);
  });
});
