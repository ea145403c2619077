import { expect, test } from 'vitest';
import { createBm25, countTerms } from './bm25.ts';
import { splitNames, termsOf } from './terms.ts';

const document = (text: string) => countTerms([{ terms: text.split(' '), weight: 1 }]);

test('the score matches the formula', () => {
  const rank = createBm25([document('rain rain snow'), document('sun')]);
  // idf = ln(1 + 1.5 / 1.5); the lengths are 3 and 1, 2 on average; tf = 2
  const expected = Math.log(2) * ((2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 3) / 2)));
  expect(rank(['rain'])).toEqual([{ index: 0, score: expected }]);
});

test('a rare term weighs more than a common one, and a short document more than a long one', () => {
  const rank = createBm25([document('rain common'), document('snow common'), document('rain common more and more')]);
  expect(rank(['rain', 'common']).map(({ index }) => index)).toEqual([0, 2, 1]);
});

test('documents with equal scores keep their order', () => {
  const rank = createBm25([document('rain'), document('rain'), document('rain')]);
  expect(rank(['rain']).map(({ index }) => index)).toEqual([0, 1, 2]);
});

test('a query with only unknown terms finds nothing', () => {
  expect(createBm25([document('rain')])(['snow'])).toEqual([]);
});

test('a field of weight 3 counts each of its terms three times', () => {
  const fields = [
    { terms: ['rain', 'sun'], weight: 3 },
    { terms: ['rain'], weight: 1 },
  ];
  expect(countTerms(fields)).toEqual(
    new Map([
      ['rain', 4],
      ['sun', 3],
    ]),
  );
});

test('terms are stems, without stop words, and names are split', () => {
  expect(termsOf('Which of the listCustomerInvoices is paid?')).toEqual(['list', 'custom', 'invoic', 'paid']);
  expect(termsOf('Café crème')).toEqual(['cafe', 'creme']);
  expect(splitNames('getURLOf2Things')).toBe('get URL Of2 Things');
});
