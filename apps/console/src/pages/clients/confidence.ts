/** The confidence in a result, based on how often a first result with the same score was right in the evaluation. */
export type Confidence = 'high' | 'medium' | 'low' | 'minimal';

export const confidenceOf = (score: number): Confidence => {
  if (score >= 0.8) return 'high';
  if (score >= 0.5) return 'medium';
  return score >= 0.25 ? 'low' : 'minimal';
};
