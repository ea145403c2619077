/** Lines of a table for people: two blanks between columns; null is an empty cell. */
export const columns = (rows: readonly (readonly (string | number | null)[])[]): readonly string[] => {
  const texts = rows.map((row) => row.map((cell) => (cell === null ? '' : `${cell}`)));
  const widths = (texts[0] ?? []).map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  return texts.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};
