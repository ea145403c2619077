import { array, assert, constantFrom, json, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonFault, scanJson } from './json-text.ts';

const scanned = (text: string) => scanJson(text, 100);

const takes = (read: (text: string) => unknown, text: string): boolean => {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof JsonFault || error instanceof SyntaxError) return false;
    throw error;
  }
};

const pieces = [...'{}[]":,01-.e \n\t\\a\u00a0', 'true', 'null', '\\u00e9', '\\ud800', '"a":', '{"a":1}', '1e5', '-0'];

describe('a scan of a JSON text', () => {
  test('takes what JSON.parse takes', () => {
    assert(property(json(), (text) => takes(scanned, text)));
  });

  test('refuses what JSON.parse refuses, and nothing else', () => {
    const texts = array(constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join(''));
    const agrees = (text: string) => takes(scanned, text) === takes((given) => JSON.parse(given) as unknown, text);
    assert(property(texts, agrees), { numRuns: 20_000 });
  });

  test('knows where the value of each outermost member stands', () => {
    const text = ' { "a" : [1, {"b":2}] ,"\\u0062": "x" , "a":\n 3e1 }';
    const valueOf = (name: string) => {
      const span = scanned(text).get(name);
      return span && text.slice(span.start, span.end);
    };
    expect([valueOf('a'), valueOf('b'), valueOf('c')]).toEqual(['3e1', '"x"', undefined]);
    expect(scanned('[{"a":1}]').size).toBe(0);
  });

  test('says the line and the column of a fault', () => {
    expect(() => scanned('{\n "a": x}')).toThrow('unexpected "x" at line 2, column 7');
    expect(() => scanned('{"a":')).toThrow('unexpected end of the JSON text at line 1, column 6');
    expect(() => scanned('{"a":😀}')).toThrow('unexpected "😀" at line 1, column 6');
  });

  test('stops at the level above the limit, the outermost value not counted', () => {
    const nested = (levels: number) => '['.repeat(levels + 1) + ']'.repeat(levels + 1);
    expect(takes(scanned, nested(100))).toBe(true);
    expect(() => scanned(nested(101))).toThrow('nested deeper than 100 levels at line 1, column 102');
    expect(() => scanned('['.repeat(1_000_000))).toThrow(JsonFault);
  });
});
