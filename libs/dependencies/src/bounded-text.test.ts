import { expect, test } from 'vitest';
import { readBoundedText } from './bounded-text.ts';

const createError = () => new Error('too long');

test('a body up to the limit is read completely, and an absent body is empty', async () => {
  expect(await readBoundedText(new Response('Zürich'), 7, createError)).toBe('Zürich');
  expect(await readBoundedText(new Response(null), 0, createError)).toBe('');
});

test('a body over the limit is not read to the end, and its source is cancelled', async () => {
  let isCancelled = false;
  const endlessStream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      isCancelled = true;
    },
  });
  await expect(readBoundedText(new Response(endlessStream), 100, createError)).rejects.toThrow('too long');
  expect(isCancelled).toBe(true);
});
