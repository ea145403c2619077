import fc from 'fast-check';
import { describe, test } from 'vitest';
import { apiKey, expectWithinBounds, schemes, testHostileDocuments } from '../test/hostile-documents.ts';
import { readFile } from './read-file.ts';

describe('no value read from a document exceeds its limit', () => {
  testHostileDocuments(1_000_000);

  const part = fc.constantFrom(
    'x',
    '{a}',
    '{b}',
    '{',
    '}',
    '~',
    '/',
    ' ',
    '\u0000',
    '\n',
    '\u202e',
    '🐈',
    '\ud800',
    '\ufb2c',
    '7',
  );
  const longText = fc
    .array(fc.tuple(part, fc.constantFrom(1, 3, 199, 2_047, 10_001)), { maxLength: 6 })
    .map((parts) => parts.map(([text, times]) => text.repeat(times)).join(''));

  test('any other document is also read within the limits', () => {
    fc.assert(
      fc.property(
        fc.tuple(longText, longText, longText, longText),
        longText,
        longText,
        fc.boolean(),
        ([title, url, a, b], scheme, name, is31) => {
          const document = {
            openapi: is31 ? '3.1.0' : '3.0.3',
            info: { title, description: title + b },
            servers: [{ url, variables: { a: { default: a }, b: { default: b } } }],
            paths: { [name]: { [scheme]: 1 } },
            ...schemes({ [`k${scheme}`]: apiKey(name) }),
          };
          const text = Buffer.from(JSON.stringify(document));
          expectWithinBounds(readFile(text), text.length);
        },
      ),
      { numRuns: 200 },
    );
  });
});
