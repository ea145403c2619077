import { expect, test } from 'vitest';
import { OllamaFailure } from './ollama-failure.ts';
import { readVector } from './read-vector.ts';

const axis = (...values: readonly unknown[]): unknown[] => [
  ...values,
  ...new Array<number>(768 - values.length).fill(0),
];

test('a vector of any length is normalized to unit length', () => {
  for (const factor of [1e-150, 1, 1e150]) {
    const vector = readVector({ embeddings: [axis(3 * factor, 4 * factor)] }, 'm');
    expect([vector[0], vector[1]]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  }
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['no vectors', {}],
  ['vectors that are not a list', { embeddings: 'no' }],
  ['an empty list', { embeddings: [] }],
  ['two vectors', { embeddings: [axis(1), axis(1)] }],
  ['a vector that is not a list', { embeddings: [5] }],
  ['a vector that is null', { embeddings: [null] }],
  ['a vector with 767 dimensions', { embeddings: [axis(1).slice(1)] }],
  ['a vector with 769 dimensions', { embeddings: [[...axis(1), 0]] }],
  ['a vector that contains null', { embeddings: [axis(null, 1)] }],
  ['a vector that contains a string', { embeddings: [axis('1')] }],
  ['a vector that contains NaN', { embeddings: [axis(Number.NaN)] }],
  ['a vector that contains infinity', { embeddings: [axis(Number.POSITIVE_INFINITY)] }],
  ['a vector of zeros', { embeddings: [axis(0)] }],
  ['a vector whose length overflows', { embeddings: [axis(1e200)] }],
  ['a vector whose length underflows', { embeddings: [axis(1e-200)] }],
])('a response is a failure if it is or contains %s', (_name, response) => {
  expect(() => readVector(response, 'm')).toThrow(OllamaFailure);
});
