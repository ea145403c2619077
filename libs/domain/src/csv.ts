/** A cell of a table; null is an empty one. */
export type Cell = string | number | null;

/**
 * The rows as CSV (RFC 4180), the first with the names of the columns. A text that a spreadsheet would take for a
 * formula gets an apostrophe in front, which it takes for text.
 */
export const csvText = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map(csvLine).join('');

/** One row of it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

const cellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
