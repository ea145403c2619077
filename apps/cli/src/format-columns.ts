/** Formats rows as a human-readable table, with two spaces between columns. Null becomes an empty cell. */
export const formatColumns = (rows: readonly (readonly (string | number | null)[])[]): readonly string[] => {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : `${cell}`)));
  const widths = (cells[0] ?? []).map((_, index) => Math.max(...cells.map((row) => (row[index] ?? '').length)));
  return cells.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};
