import { MessagePort } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { receiveList, sendList } from './list-transfer.ts';

const createList = (length: number) => Array.from({ length }, (_, place) => ({ place }));

describe('a list that is sent to another thread', () => {
  test('arrives unchanged, in one message or in chunks', async () => {
    for (const length of [0, 1, 512, 513, 1_024, 1_025]) {
      expect(await receiveList(sendList(createList(length)), async () => undefined)).toEqual(createList(length));
    }
  });

  test('is sent over a port if it is longer than a chunk', () => {
    expect(sendList(createList(512))).toEqual(createList(512));
    expect(sendList(createList(513))).toBeInstanceOf(MessagePort);
  });

  test('yields to the event loop after each chunk', async () => {
    const yieldToEventLoop = vi.fn(async () => undefined);
    await receiveList(sendList(createList(10 * 512)), yieldToEventLoop);
    expect(yieldToEventLoop).toHaveBeenCalledTimes(10);
  });
});
