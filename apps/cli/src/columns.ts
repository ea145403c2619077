/** Formats rows as a human-readable table, with two spaces between columns. Null becomes an empty cell. */
export const columns = (rows: readonly (readonly (string | number | null)[])[]): readonly string[] => {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : `${cell}`)));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  return cells.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};
