/** The scores of all rows, in double precision. */
export const scoresOf = (query: Float32Array, rows: readonly Float32Array[]): Float64Array =>
  Float64Array.from(rows, (row) => {
    let sum = 0;
    for (let at = 0; at < row.length; at++) sum += (row[at] ?? 0) * (query[at] ?? 0);
    return sum;
  });

/** Single precision tells scores apart that are further from each other than this. */
const precision = 1e-6;

/** The share of the best `limit` among the visible rows that was found; of rows with the same score each one is right. */
export const recallOf = (
  found: readonly number[],
  visible: readonly number[],
  scores: Float64Array,
  limit: number,
): number => {
  const best = Float64Array.from(visible, (row) => scores[row] ?? Number.NaN).sort();
  const least = (best.at(-limit) ?? best[0] ?? 0) - precision;
  const seen = new Set(visible);
  const right = new Set(found.slice(0, limit).filter((row) => seen.has(row) && (scores[row] ?? -1) >= least));
  return right.size / Math.min(limit, visible.length);
};
