/**
 * The grades of a ranking, best result first: 2 for a direct answer, 1 for a related one, 0 for any other. `reachable`
 * contains the grades of all labelled results, in any order.
 */
export interface GradedRanking {
  readonly grades: readonly number[];
  readonly reachable: readonly number[];
}

const depth = 10;

/**
 * Returns the discounted gain of the first ten results (2^grade - 1, halved at rank 3), as a share of the best possible
 * gain.
 */
export const ndcg = ({ grades, reachable }: GradedRanking): number => {
  const best = discountedGain(reachable.toSorted((x, y) => y - x));
  return best === 0 ? 0 : discountedGain(grades) / best;
};

const discountedGain = (grades: readonly number[]): number =>
  grades.slice(0, depth).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);

/** Returns the share of direct and related results that are among the first ten. */
export const recall = ({ grades, reachable }: GradedRanking): number => {
  const right = reachable.filter((grade) => grade > 0).length;
  return right === 0 ? 0 : grades.slice(0, depth).filter((grade) => grade > 0).length / right;
};

/** Returns 1 / rank of the first result with at least this grade; 0 if there is none. */
export const reciprocalRank = ({ grades }: GradedRanking, least: number): number => {
  const at = grades.findIndex((grade) => grade >= least);
  return at < 0 ? 0 : 1 / (at + 1);
};

/** Returns 1 if a direct answer is among the first `count` results, or else 0. */
export const success = ({ grades }: GradedRanking, count: number): number =>
  grades.slice(0, count).includes(2) ? 1 : 0;

/**
 * Returns the share of pairs in which the first kind of value is the greater one. Ties count as half (Mann and Whitney,
 * 1947).
 */
export const auroc = (greater: readonly number[], smaller: readonly number[]): number => {
  let wins = 0;
  for (const x of greater) for (const y of smaller) wins += x > y ? 1 : x === y ? 0.5 : 0;
  return wins / (greater.length * smaller.length);
};
