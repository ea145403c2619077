/** A cell of a table; null is an empty cell. */
export type Cell = string | number | null;

/**
 * Matches the beginning of text that a spreadsheet interprets as a formula, including preceding characters that the
 * spreadsheet does not display. If the spreadsheet separates cells by `;` (in Germany, France and elsewhere) or by
 * tabs, a cell can begin in the middle of a text, even inside quotes.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?:[^\S;\t\r\n]|\p{Cf}|")*[=+\-@\uff1d\uff0b\uff0d\uff20]/gu;

/**
 * Returns the rows as CSV (RFC 4180), with the column names in the first row. Text that a spreadsheet would interpret
 * as a formula is prefixed with an apostrophe, so that it is treated as text.
 */
export const toCsv = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map(toCsvLine).join('');

/** Returns one row of CSV. */
export const toCsvLine = (cells: readonly Cell[]): string => `${cells.map(toCellText).join(',')}\r\n`;

const toCellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(formulaStart, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
