import { expect, test } from 'vitest';
import { parseId } from './ids.ts';

test('an id is parsed ignoring case, and must be a UUID', () => {
  expect(parseId('0B9F6A52-3C1E-4C60-9B65-0A1F6D6F0001')).toBe('0b9f6a52-3c1e-4c60-9b65-0a1f6d6f0001');
  for (const text of [
    '',
    'x',
    '0b9f6a52-3c1e-4c60-9b65-0a1f6d6f000',
    ' 0b9f6a52-3c1e-4c60-9b65-0a1f6d6f0001',
    '0b9f6a523c1e4c609b650a1f6d6f0001',
  ]) {
    expect(parseId(text)).toBeNull();
  }
});
