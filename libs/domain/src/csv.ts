/** A cell of a table; null is an empty one. */
export type Cell = string | number | null;

/**
 * The beginning of what a spreadsheet takes for a formula, with what it does not show before it. Where it separates
 * cells by `;` (in Germany, France and elsewhere) or by tabs, a cell begins within a text, whatever quotes are around.
 */
const formula = /(?<=^|[;\t\r\n])(?:[^\S;\t\r\n]|\p{Cf}|")*[=+\-@\uff1d\uff0b\uff0d\uff20]/gu;

/**
 * The rows as CSV (RFC 4180), the first with the names of the columns. What a spreadsheet would take for a formula gets
 * an apostrophe in front, which it takes for text.
 */
export const csvText = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map(csvLine).join('');

/** One row of it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

const cellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(formula, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
