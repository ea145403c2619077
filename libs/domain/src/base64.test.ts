import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { toBase64 } from './base64.ts';

test.each(['', 'a', 'ab', 'abc', 'abcd', 'ada:s3cret %41', 'Zoë:größe 愛 😀', '\u00ff\u0080?>~'])(
  'the base64 of %j is that of its UTF-8 bytes',
  (text) => {
    expect(toBase64(text)).toBe(Buffer.from(text).toString('base64'));
  },
);
