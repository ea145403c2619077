import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test('each row ends with a line break, the first row contains the names, and null is an empty cell', () => {
  expect(
    toCsv(
      ['name', 'reads'],
      [
        ['Weather', 3],
        [null, 0],
      ],
    ),
  ).toBe('name,reads\r\nWeather,3\r\n,0\r\n');
  expect(toCsv(['name', 'reads'], [])).toBe('name,reads\r\n');
});

test.each([
  ['a comma, or two', '"a comma, or two"'],
  ['a "quoted" word', '"a ""quoted"" word"'],
  ['two\nlines', '"two\nlines"'],
  ["an apostrophe's text", "an apostrophe's text"],
  [' blanks ', ' blanks '],
])('%j is the cell %s', (text, cell) => {
  expect(toCsv(['name'], [[text]])).toBe(`name\r\n${cell}\r\n`);
});

test.each(['=1+1', '+49', '-1', '@SUM(A1)', '=HYPERLINK("http://x")'])('%j is escaped', (text) => {
  const [, row = ''] = toCsv(['name'], [[text]]).split('\r\n');
  expect(row.replace(/^"/, '').startsWith("'")).toBe(true);
});

test.each([
  ['\uff1d1+1', "'\uff1d1+1"],
  ['\u200b=1+1', "'\u200b=1+1"],
  [' \u2060-1', "' \u2060-1"],
  ['a;=1+1', "a;'=1+1"],
  ['a; @b;c;\uff0bd', "a;' @b;c;'\uff0bd"],
  ['\t=1', "\t'=1"],
  ['a\t+1', "a\t'+1"],
  ['a;"=1"', `"a;'""=1"""`],
  ['a\n=1', `"a\n'=1"`],
])('%j is also escaped if ; or a tab separates cells: %j', (text, cell) => {
  expect(toCsv(['name'], [[text]])).toBe(`name\r\n${cell}\r\n`);
});

test.each(['a=b', 'read-only', 'ann@example.com', 'a; b', '1+1', 'x\u200b=y', "d'\u00e9j\u00e0-vu"])(
  '%j is not changed',
  (text) => {
    expect(toCsv(['name'], [[text]])).toBe(`name\r\n${text}\r\n`);
  },
);

test('a negative number is still a number', () => {
  expect(toCsv(['number'], [[-1]])).toBe('number\r\n-1\r\n');
});
