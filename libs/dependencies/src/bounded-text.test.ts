import { expect, test } from 'vitest';
import { boundedText } from './bounded-text.ts';

const tooLong = () => new Error('too long');

test('a body up to the limit is read completely, and an absent body is empty', async () => {
  expect(await boundedText(new Response('Zürich'), 7, tooLong)).toBe('Zürich');
  expect(await boundedText(new Response(null), 0, tooLong)).toBe('');
});

test('a body over the limit is not read to the end, and its source is cancelled', async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      cancelled = true;
    },
  });
  await expect(boundedText(new Response(endless), 100, tooLong)).rejects.toThrow('too long');
  expect(cancelled).toBe(true);
});
