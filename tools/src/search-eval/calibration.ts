/** The score and the grade of one result. */
export interface ScoredGrade {
  readonly score: number;
  readonly grade: number;
}

export interface Bucket {
  /** The lower bound, inclusive; `to` is exclusive, but the last bucket includes 1. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The share of direct answers. */
  readonly direct: number;
  /** The share of direct answers and related results. */
  readonly right: number;
}

const bucketsPerUnit = 20;

/** Returns the share of right results by score, without empty buckets. */
export const bucketsOf = (results: readonly ScoredGrade[]): readonly Bucket[] =>
  [...Map.groupBy(results, ({ score }) => Math.min(bucketsPerUnit - 1, Math.floor(score * bucketsPerUnit)))]
    .sort(([x], [y]) => x - y)
    .map(([at, some]) => ({
      from: at / bucketsPerUnit,
      to: (at + 1) / bucketsPerUnit,
      count: some.length,
      direct: some.filter(({ grade }) => grade === 2).length / some.length,
      right: some.filter(({ grade }) => grade > 0).length / some.length,
    }));

/** If the share of right results is below this value, results are noise. */
export const noiseShare = 1 / 20;

/**
 * Returns the score below which fewer than one in twenty results are right; 0 if no result is noise. Fits the share as
 * a monotonic function of the score by pooling adjacent violators (Ayer et al., 1955).
 */
export const noiseBelow = (results: readonly ScoredGrade[]): number => {
  const pools: { from: number; right: number; count: number }[] = [];
  const byScore = [...Map.groupBy(results, ({ score }) => score)].sort(([x], [y]) => x - y);
  for (const [score, some] of byScore) {
    let pool = { from: score, right: some.filter(({ grade }) => grade > 0).length, count: some.length };
    for (let last = pools.at(-1); last && last.right * pool.count >= pool.right * last.count; last = pools.at(-1)) {
      pool = { from: last.from, right: last.right + pool.right, count: last.count + pool.count };
      pools.pop();
    }
    pools.push(pool);
  }
  const first = pools.find(({ right, count }) => right / count >= noiseShare);
  return first === pools[0] ? 0 : (first?.from ?? 1);
};
