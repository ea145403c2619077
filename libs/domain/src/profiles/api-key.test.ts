import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { secretBytes } from '../checked-secret.ts';
import { isWellFormedSecret, makeSecret } from './api-key.ts';

const secret = makeSecret(Uint8Array.from({ length: secretBytes }, (_, index) => (index * 37 + 11) % 256));

test('a secret is well formed for any bytes', () => {
  expect(secret).toMatch(/^portico_sk_[0-9A-Za-z]{49}$/);
  for (const byte of [0, 1, 127, 255])
    expect(isWellFormedSecret(makeSecret(new Uint8Array(secretBytes).fill(byte)))).toBe(true);
});

test('the digits preserve every bit of the random number', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const body = makeSecret(new Uint8Array(secretBytes).fill(255)).slice('portico_sk_'.length, -6);
  const number = [...body].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
  expect(number).toBe(2n ** 256n - 1n);
});

test('its last six digits are the CRC-32 of the preceding characters', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const check = [...secret.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  expect(check).toBe(crc32(secret.slice(0, -6)));
});

test('a secret with any one character changed, missing or added is not well formed', () => {
  for (let index = 0; index < secret.length; index++) {
    const replacement = secret[index] === 'A' ? 'B' : 'A';
    expect(isWellFormedSecret(secret.slice(0, index) + replacement + secret.slice(index + 1))).toBe(false);
    expect(isWellFormedSecret(secret.slice(0, index) + secret.slice(index + 1))).toBe(false);
  }
  expect(isWellFormedSecret(`${secret}A`)).toBe(false);
  expect(isWellFormedSecret('')).toBe(false);
});

test('a secret is made from exactly 32 bytes', () => {
  expect(() => makeSecret(new Uint8Array(31))).toThrow(RangeError);
  expect(() => makeSecret(new Uint8Array(33))).toThrow(RangeError);
});
