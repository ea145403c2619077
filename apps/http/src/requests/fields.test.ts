import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  booleanParameter,
  clearable,
  email,
  lengthOf,
  line,
  numberParameter,
  optional,
  removable,
  text,
  validateQuery,
} from './fields.ts';

const read = (schema: z.ZodType, value: unknown): unknown => {
  const result = schema.safeParse(value);
  return result.success ? result.data : 'refused';
};

test('a length counts code points', () => {
  expect([lengthOf(''), lengthOf('aé'), lengthOf('😀😀'), lengthOf('e\u0301')]).toEqual([0, 2, 2, 2]);
});

test('a text is trimmed before its length is checked', () => {
  expect(read(text({ max: 3 }), '  abc  ')).toBe('abc');
  expect(read(text({ max: 3 }), 'abcd')).toBe('refused');
  expect(read(text({ max: 3 }), '   ')).toBe('refused');
});

test('a blank value counts as absent in an optional field, and clears a clearable field', () => {
  const blanks = [null, '', '  ', undefined];
  expect(blanks.map((blank) => read(optional(text({ max: 3 })), blank))).toEqual(Array(4).fill(undefined));
  expect(blanks.map((blank) => read(clearable(text({ max: 3 })), blank))).toEqual([null, null, null, undefined]);
  expect(blanks.map((blank) => read(removable(text({ max: 3 })), blank))).toEqual([
    null,
    undefined,
    undefined,
    undefined,
  ]);
  expect(read(optional(text({ max: 3 })), 5)).toBe('refused');
});

test('a trimmed line has no control characters, line separators or bidirectional controls', () => {
  expect(read(line({ max: 9 }), '\n Ada 株 \u2029')).toBe('Ada 株');
  for (const character of [
    '\0',
    '\n',
    '\t',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u202e',
    '\u2066',
    '\u200f',
    '\ud800',
  ]) {
    expect(read(line({ max: 9 }), `a${character}b`)).toBe('refused');
  }
});

describe('an email address', () => {
  test.each([
    'a@example.com',
    "o'neil+tag@mail.example.co.uk",
    'admin@localhost',
    'jürgen@bücher.example',
    'x_y-z.1@a-b.io',
    '株式@例え.テスト',
  ])('%s is valid', (address) => {
    expect(read(email, address)).toBe(address);
  });

  test.each([
    'a@b',
    '@example.com',
    'a@',
    'a@.com',
    'a@example..com',
    'a.@example.com',
    'a..b@example.com',
    'a@example.com.',
    '"a b"@example.com',
    'a@[127.0.0.1]',
    'a;b@example.com',
    'a@exa_mple.com',
    'a@example\uff0ecom',
    'a\u00a0b@example.com',
    'a\u202eb@example.com',
    'a\u200bb@example.com',
  ])('%s is not valid', (address) => {
    expect(read(email, address)).toBe('refused');
  });

  test('is accepted in upper and lower case, and converted to lower case', () => {
    expect([read(email, ' A@Example.COM '), read(email, 'Admin@LOCALHOST')]).toEqual([
      'a@example.com',
      'admin@localhost',
    ]);
  });

  // With a backtracking pattern, these checks would exceed the test's timeout.
  test('is rejected quickly if it is crafted for catastrophic backtracking', () => {
    for (const hostile of [
      'a.'.repeat(127),
      `a@${'a-'.repeat(126)}`,
      `a@${'a.'.repeat(125)}!`,
      `a@${'-'.repeat(252)}`,
    ]) {
      expect(read(email, hostile)).toBe('refused');
    }
  });
});

test('query parameters are parsed as numbers and booleans', () => {
  const number = numberParameter(1, 10);
  expect(['1', '10', '007'].map((value) => read(number, value))).toEqual([1, 10, 7]);
  expect(['9'.repeat(400), '9007199254740993'].map((value) => read(numberParameter(1), value))).toEqual(
    Array(2).fill(Number.MAX_SAFE_INTEGER),
  );
  expect(['0', '11', '', ' 1', '+1', '1.0', '1e1', '-1'].map((value) => read(number, value))).toEqual(
    Array(8).fill('refused'),
  );
  expect(['true', 'FALSE', 'True'].map((value) => read(booleanParameter, value))).toEqual([true, false, true]);
  expect(['', '1', 'yes', ' true'].map((value) => read(booleanParameter, value))).toEqual(Array(4).fill('refused'));
});

test('the JSON Schema of fields describes the accepted values', () => {
  const schema = z.toJSONSchema(
    z.object({ a: text({ max: 3 }), b: optional(text({ max: 3 })), c: numberParameter(1, 9) }),
    {
      io: 'input',
    },
  );
  expect(schema).toMatchObject({
    required: ['a', 'c'],
    properties: { a: { type: 'string', minLength: 1, maxLength: 3 }, c: { type: 'integer', minimum: 1, maximum: 9 } },
  });
});

describe('an unknown query parameter', () => {
  const schema = z.object({ limit: numberParameter(1, 9).optional(), tag: text({ max: 9 }).optional() });
  const parseStrictly = (query: string, querySchema = schema as z.ZodObject) =>
    validateQuery(querySchema, `/x${query}`, { rejectsUnknownParameters: true });

  test('is ignored, or rejected with the names of the known parameters', () => {
    expect(validateQuery(schema, '/x?limit=3&colour=red&__proto__=1', { rejectsUnknownParameters: false })).toEqual({
      limit: 3,
    });
    expect(parseStrictly('?limit=3&tag=')).toEqual({ limit: 3 });
    for (const name of ['colour', 'Limit', '__proto__', 'constructor']) {
      const detail = `Invalid query parameter: ${name} is unknown. There are: limit, tag`;
      for (const query of [`?limit=3&${name}=`, `?${name}`]) expect(() => parseStrictly(query)).toThrow(detail);
    }
    expect(() => parseStrictly('?x=1', z.object({}))).toThrow('Invalid query parameter: x is unknown. There are none');
    for (const query of ['', '?', '?&&']) expect(parseStrictly(query)).toEqual({});
  });

  test('is not quoted if it is not a plain name', () => {
    for (const name of ['', 'x'.repeat(65), 'a%0Ab', 'a b', '\u00e9']) {
      expect(() => parseStrictly(`?${name}=1`)).toThrow(
        'Invalid query parameter: one of the names is unknown. There are: ',
      );
    }
  });
});
