import { expect, test } from 'vitest';
import { parseMarkedJson, writeMarkedJson } from './marked-json.ts';

test.each([
  '{"a":1.10,"b":[1.0,12e3,-0,1e400,9007199254740993,12345678901234567890.5,0.10,7]}',
  '{"a":"1.10","b":"\ue000#1","c":"\ue000","d":"\ue000\ue000x"}',
  '{"__proto__":{"constructor":1.0},"":null,"t":true}',
  '9007199254740993',
])('%s is written exactly as it was parsed', (text) => {
  expect(writeMarkedJson(parseMarkedJson(text))).toBe(text);
});

test('only numbers that would lose digits or their notation are replaced', () => {
  const [plain, decimal] = parseMarkedJson('[12.5,1.50]') as readonly unknown[];
  expect([plain, typeof decimal]).toEqual([12.5, 'string']);
});
