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
export const computeNdcg = ({ grades, reachable }: GradedRanking): number => {
  const idealGain = computeDiscountedGain(reachable.toSorted((x, y) => y - x));
  return idealGain === 0 ? 0 : computeDiscountedGain(grades) / idealGain;
};

const computeDiscountedGain = (grades: readonly number[]): number =>
  grades.slice(0, depth).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);

/** Returns the share of direct and related results that are among the first ten. */
export const computeRecall = ({ grades, reachable }: GradedRanking): number => {
  const relevantCount = reachable.filter((grade) => grade > 0).length;
  return relevantCount === 0 ? 0 : grades.slice(0, depth).filter((grade) => grade > 0).length / relevantCount;
};

/** Returns 1 / rank of the first result with at least this grade; 0 if there is none. */
export const computeReciprocalRank = ({ grades }: GradedRanking, minimumGrade: number): number => {
  const index = grades.findIndex((grade) => grade >= minimumGrade);
  return index < 0 ? 0 : 1 / (index + 1);
};

/** Returns 1 if a direct answer is among the first `count` results, or else 0. */
export const successAt = ({ grades }: GradedRanking, count: number): number =>
  grades.slice(0, count).includes(2) ? 1 : 0;

/**
 * Returns the share of pairs in which the first kind of value is the greater one. Ties count as half (Mann and Whitney,
 * 1947).
 */
export const computeAuroc = (greater: readonly number[], smaller: readonly number[]): number => {
  let wins = 0;
  for (const x of greater) for (const y of smaller) wins += x > y ? 1 : x === y ? 0.5 : 0;
  return wins / (greater.length * smaller.length);
};
