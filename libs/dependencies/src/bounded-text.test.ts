import { expect, test } from 'vitest';
import { boundedText } from './bounded-text.ts';

const tooLong = () => new Error('too long');

test('a response up to the limit is read completely, and an absent one is empty', async () => {
  expect(await boundedText(new Response('Zürich'), 7, tooLong)).toBe('Zürich');
  expect(await boundedText(new Response(null), 0, tooLong)).toBe('');
});

test('a longer one is read no further, and its source is cancelled', async () => {
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
