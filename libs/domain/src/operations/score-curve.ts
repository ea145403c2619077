/** The similarity at which half of the first results were correct, and the steepness of the curve at that point. */
const [middle, steepness] = [0.64, 7];

/**
 * Converts a similarity (`similarityOf`) to a score, 0 to 1: approximately the share of evaluation tasks with a correct
 * first result at that similarity (`docs/search.md`). Monotonic, so that scores and similarities produce the same
 * order.
 */
export const toOperationScore = (similarity: number): number => 1 / (1 + Math.exp(-steepness * (similarity - middle)));

/**
 * Results with a lower score are noise, and are omitted. This loses none of the 72 evaluation tasks that have an
 * answer.
 */
export const operationScoreMin = 0.1;
