import { expect, test } from 'vitest';
import { piecesMax, pieceTokensMax, estimateTokens } from './model-text.ts';
import { piecesOf, computeMeanVector } from './text-pieces.ts';

const textsOf = (text: string) => piecesOf(text).map((piece) => piece.text);
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i % 10}`).join(' ');

test.each(['', ' ', '\n\t', '.', 'Rain', words(pieceTokensMax / 2)])('a short text is one piece: %j', (text) => {
  expect(textsOf(text)).toEqual([text]);
});

test.each([
  ['sentences', `${words(100)}. `, `${words(20)}! "Rain?" `, `${words(100)}…\n`],
  ['lines', `${words(100)}\n`, `${words(24)}\n\n`, `${words(100)}\n`],
  ['sentences without spaces', `${'天'.repeat(200)}。`, `${'雨'.repeat(40)}！`, `${'風'.repeat(200)}？`],
])('a text is cut between %s, with as many per piece as fit', (_name, first, second, third) => {
  expect(textsOf(first + second + third)).toEqual([first + second, third]);
});

test('neither an abbreviated host name nor a number is the end of a sentence', () => {
  const text = `${words(110)} api.example.com v1.25 ${words(110)}`;
  expect(textsOf(text)[0]).toMatch(/api\.example\.com v1\.25 w0 .*w\d $/);
});

test('a sentence that is too long is cut between words, and a word that is too long between any two characters', () => {
  expect(textsOf(`Rain. ${words(200)}`)[0]).toMatch(/^Rain\. w0 .+ w\d $/);
  const [firstPiece, secondPiece] = textsOf('🙂'.repeat(pieceTokensMax + 1));
  expect([firstPiece, secondPiece]).toEqual(['🙂'.repeat(pieceTokensMax), '🙂']);
});

test.each([
  ['English', 'Returns the forecast for a city, by hour. ', 10_201],
  ['one word', 'x', 3_000],
  ['Japanese', '天気', 3_000],
  ['Korean', '날씨를 알려줍니다. ', 1_500],
  ['spaces', ' \n', 3_000],
  ['quotes', '"\' ', 3_000],
  ['lone surrogates', '\ud800', 3_000],
])('%s: the pieces add up to the whole text, and each has at most 248 tokens', (_name, unit, length) => {
  const text = unit.repeat(length).slice(0, length);
  const pieces = piecesOf(text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  for (const { text: piece, tokens } of pieces) {
    expect(tokens).toBeLessThanOrEqual(pieceTokensMax);
    expect(tokens).toBe(estimateTokens(piece));
  }
});

test('only the first sixteen pieces are read', () => {
  const text = '天'.repeat(10_000);
  expect(textsOf(text).join('')).toBe('天'.repeat(piecesMax * pieceTokensMax));
});

test('a token is four Latin letters, three digits, or a character; a Korean syllable is three', () => {
  expect(['payment', '12345', 'é', 'дом', '天気', '날씨', '🙂'].map(estimateTokens)).toEqual([2, 2, 1, 3, 2, 6, 1]);
});

test('the vector of a document is the mean of its pieces, weighted by tokens and normalized to unit length', () => {
  const [east, north] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  expect(computeMeanVector([{ vector: east, tokens: 0 }])).toBe(east);
  expect(
    computeMeanVector([
      { vector: east, tokens: 3 },
      { vector: north, tokens: 4 },
    ]),
  ).toEqual(Float32Array.of(0.6, 0.8));
  expect(
    computeMeanVector([
      { vector: east, tokens: 5 },
      { vector: Float32Array.of(-1, 0), tokens: 5 },
    ]),
  ).toBe(east);
});
