/** Numbers of rows. */
export interface RowSet {
  /** A bit for each number up to the greatest, 32 in each. */
  readonly bits: Uint32Array;
  /** Ascending. */
  readonly rows: Uint32Array;
}

/** The set of these rows, each of them once. */
export const rowSetOf = (numbers: readonly number[]): RowSet => {
  const greatest = numbers.reduce((greater, row) => Math.max(greater, row), -1);
  const bits = new Uint32Array(Math.ceil((greatest + 1) / 32));
  let size = 0;
  for (const row of numbers) {
    const [word, bit] = [bits[row >>> 5] ?? 0, 1 << (row & 31)];
    if ((word & bit) === 0) size += 1;
    bits[row >>> 5] = word | bit;
  }
  const rows = new Uint32Array(size);
  for (let row = 0, i = 0; i < size; row += 1) if (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) rows[i++] = row;
  return { bits, rows };
};
