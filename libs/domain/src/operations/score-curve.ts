/** The similarity of first results of which half were right, and how steeply the share rises there. */
const [middle, steepness] = [0.64, 7];

/**
 * What a similarity (`similarityOf`) is worth, 0 to 1: of the judged tasks whose first result had such a score, about so
 * many were right (`docs/search.md`). Never falls as the similarity rises, so that both order alike.
 */
export const operationScore = (similarity: number): number => 1 / (1 + Math.exp(-steepness * (similarity - middle)));

/** Results with a lower score are noise, and left out. That costs none of the 72 judged tasks that have an answer. */
export const operationScoreMin = 0.1;
