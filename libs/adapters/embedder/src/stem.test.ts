import { expect, test } from 'vitest';
import { stem } from './stem.ts';

test.each([
  ['pay', 'pays', 'paying'],
  ['payment', 'payments'],
  ['translate', 'translates', 'translated', 'translating', 'translation', 'translations', 'translator'],
  ['company', 'companies'],
  ['address', 'addresses'],
  ['stop', 'stops', 'stopped', 'stopping'],
  ['call', 'calls', 'called', 'calling'],
  ['notify', 'notifies'],
])('the forms of %s have one stem', (...forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1);
});

test('words with different meanings have different stems', () => {
  const words = ['mail', 'map', 'news', 'status', 'business', 'bus', 'box', 'sing', 'red', 'rate', 'rating', 'wallet'];
  const keys = words.filter((word) => word !== 'rating').map(stem);
  expect(new Set(keys).size).toBe(keys.length);
});

test('words that are not English do not change', () => {
  for (const word of ['погода', '2024', 'café', 'x86s', 'bus', '天気']) {
    expect(stem(word)).toBe(word);
  }
});
