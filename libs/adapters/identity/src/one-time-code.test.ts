import { expect, test } from 'vitest';
import { digestOf, formatCode, codeBytes, normalizeCode } from './one-time-code.ts';

test('a code has 80 random bits, in groups of four base-32 digits', () => {
  expect(codeBytes * 8).toBe(80);
  expect(formatCode(new Uint8Array(10))).toBe('0000-0000-0000-0000');
  expect(formatCode(new Uint8Array(10).fill(0xff))).toBe('ZZZZ-ZZZZ-ZZZZ-ZZZZ');
  expect(formatCode(Uint8Array.of(0x00, 0x44, 0x32, 0x14, 0xc7, 0x42, 0x54, 0xb6, 0x35, 0xcf))).toBe(
    '0123-4567-89AB-CDEF',
  );
});

test('each byte changes the code', () => {
  const codes = Array.from({ length: 10 }, (_, index) => formatCode(new Uint8Array(10).fill(1, index, index + 1)));
  expect(new Set(codes).size).toBe(10);
});

test.each([
  '0123-4567-89AB-CDEF',
  '0123456789ABCDEF',
  ' 0123 4567 89ab cdef ',
  'o123-4567-89ab-cdef',
  'OI23-4567-89AB-CDEF',
  '0l23-4567-89ab-cdef',
])('%s is normalized to the same code', (input) => {
  expect(normalizeCode(input)).toBe('0123456789ABCDEF');
});

test('the digest of a code is its SHA-256', () => {
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
