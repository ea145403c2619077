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
  readonly relevant: number;
}

const bucketsPerUnit = 20;

/** Returns the share of right results by score, without empty buckets. */
export const bucketsOf = (results: readonly ScoredGrade[]): readonly Bucket[] =>
  [...Map.groupBy(results, ({ score }) => Math.min(bucketsPerUnit - 1, Math.floor(score * bucketsPerUnit)))]
    .sort(([x], [y]) => x - y)
    .map(([index, group]) => ({
      from: index / bucketsPerUnit,
      to: (index + 1) / bucketsPerUnit,
      count: group.length,
      direct: group.filter(({ grade }) => grade === 2).length / group.length,
      relevant: group.filter(({ grade }) => grade > 0).length / group.length,
    }));

/** If the share of right results is below this value, results are noise. */
export const noiseShare = 1 / 20;

/**
 * Returns the score below which fewer than one in twenty results are right; 0 if no result is noise. Fits the share as
 * a monotonic function of the score by pooling adjacent violators (Ayer et al., 1955).
 */
export const findNoiseThreshold = (results: readonly ScoredGrade[]): number => {
  const pools: { from: number; relevant: number; count: number }[] = [];
  const byScore = [...Map.groupBy(results, ({ score }) => score)].sort(([x], [y]) => x - y);
  for (const [score, group] of byScore) {
    let pool = { from: score, relevant: group.filter(({ grade }) => grade > 0).length, count: group.length };
    for (
      let lastPool = pools.at(-1);
      lastPool && lastPool.relevant * pool.count >= pool.relevant * lastPool.count;
      lastPool = pools.at(-1)
    ) {
      pool = { from: lastPool.from, relevant: lastPool.relevant + pool.relevant, count: lastPool.count + pool.count };
      pools.pop();
    }
    pools.push(pool);
  }
  const firstPool = pools.find(({ relevant, count }) => relevant / count >= noiseShare);
  return firstPool === pools[0] ? 0 : (firstPool?.from ?? 1);
};
