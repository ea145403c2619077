import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { ExactNumber } from '../json.ts';
import { encodeReserved, percentEncode, toPairs, toSegment } from './parameter-styles.ts';
import type { ParameterStyle } from './parameters.ts';

/** The values of the table in OpenAPI 3.1.1, section 4.8.12.4. */
const array = ['blue', 'black', 'brown'];
const object = { R: 100, G: 200, B: 150 };

const segmentOf = (style: ParameterStyle, explode: boolean, value: Json): string =>
  toSegment('color', value, { style, explode, encode: percentEncode });
const queryOf = (style: ParameterStyle, explode: boolean, value: Json, encode = percentEncode): string =>
  toPairs('color', value, { style, explode, encode })
    .map((pair) => pair.join('='))
    .join('&');

describe('the table of styles of OpenAPI', () => {
  test.each<[ParameterStyle, boolean, Json, string]>([
    ['matrix', false, '', ';color'],
    ['matrix', false, 'blue', ';color=blue'],
    ['matrix', false, array, ';color=blue,black,brown'],
    ['matrix', false, object, ';color=R,100,G,200,B,150'],
    ['matrix', true, '', ';color'],
    ['matrix', true, 'blue', ';color=blue'],
    ['matrix', true, array, ';color=blue;color=black;color=brown'],
    ['matrix', true, object, ';R=100;G=200;B=150'],
    ['label', false, '', '.'],
    ['label', false, 'blue', '.blue'],
    ['label', false, array, '.blue,black,brown'],
    ['label', false, object, '.R,100,G,200,B,150'],
    ['label', true, '', '.'],
    ['label', true, 'blue', '.blue'],
    ['label', true, array, '.blue.black.brown'],
    ['label', true, object, '.R=100.G=200.B=150'],
    ['simple', false, '', ''],
    ['simple', false, 'blue', 'blue'],
    ['simple', false, array, 'blue,black,brown'],
    ['simple', false, object, 'R,100,G,200,B,150'],
    ['simple', true, '', ''],
    ['simple', true, 'blue', 'blue'],
    ['simple', true, array, 'blue,black,brown'],
    ['simple', true, object, 'R=100,G=200,B=150'],
  ])('writes a part of a path or a header in the style %s, explode %s: %j is %s', (style, explode, value, expected) => {
    expect(segmentOf(style, explode, value)).toBe(expected);
  });

  test.each<[ParameterStyle, boolean, Json, string]>([
    ['form', false, '', 'color='],
    ['form', false, 'blue', 'color=blue'],
    ['form', false, array, 'color=blue,black,brown'],
    ['form', false, object, 'color=R,100,G,200,B,150'],
    ['form', true, '', 'color='],
    ['form', true, 'blue', 'color=blue'],
    ['form', true, array, 'color=blue&color=black&color=brown'],
    ['form', true, object, 'R=100&G=200&B=150'],
    ['spaceDelimited', false, array, 'color=blue%20black%20brown'],
    ['spaceDelimited', false, object, 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', false, array, 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, object, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', true, object, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ])('writes a query or a cookie in the style %s, explode %s: %j is %s', (style, explode, value, expected) => {
    expect(queryOf(style, explode, value)).toBe(expected);
  });
});

test('a member of an exploded matrix without a value has no equals sign (RFC 6570, section 3.2.7)', () => {
  expect(segmentOf('matrix', true, ['a', ''])).toBe(';color=a;color');
  expect(segmentOf('matrix', true, { a: '', b: 1 })).toBe(';a;b=1');
});

test.each<ParameterStyle>(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])(
  'an empty array or object in the style %s is not sent',
  (style) => {
    for (const explode of [false, true]) {
      expect(queryOf(style, explode, [])).toBe('');
      expect(queryOf(style, explode, {})).toBe('');
    }
  },
);

test('values within values are nested names in `deepObject`, and JSON in all other styles', () => {
  const value = { a: [1, { b: null }] };
  expect(queryOf('deepObject', true, value)).toBe('color%5Ba%5D%5B0%5D=1&color%5Ba%5D%5B1%5D%5Bb%5D=');
  expect(queryOf('form', true, value)).toBe(`a=${encodeURIComponent('[1,{"b":null}]')}`);
});

test('reserved characters in names and values are encoded, so that they are not delimiters', () => {
  const value = "a b/c?d#e&f=g,h;i%20(j)!*'é";
  const text = 'a%20b%2Fc%3Fd%23e%26f%3Dg%2Ch%3Bi%2520%28j%29%21%2A%27%C3%A9';
  expect(segmentOf('simple', false, value)).toBe(text);
  expect(segmentOf('simple', false, ['a,b', 'c'])).toBe('a%2Cb,c');
  expect(queryOf('form', true, { 'a&b': value })).toBe(`a%26b=${text}`);
});

test('`allowReserved` keeps reserved characters and encoded ones, but none that ends the value', () => {
  expect(encodeReserved("a:/?@!$'()*,;=b")).toBe("a:/?@!$'()*,;=b");
  expect(encodeReserved('a&b#c+d e%2Ff%')).toBe('a%26b%23c%2Bd%20e%2Ff%25');
});

test('numbers are written with the digits that they have in the document', () => {
  expect(segmentOf('simple', false, [new ExactNumber('12345678901234567890'), new ExactNumber('1.0')])).toBe(
    '12345678901234567890,1.0',
  );
});

test('half a surrogate pair is replaced, because it cannot be encoded', () => {
  expect(percentEncode('\ud800')).toBe('%EF%BF%BD');
  expect(encodeReserved('\ud800')).toBe('%EF%BF%BD');
});
