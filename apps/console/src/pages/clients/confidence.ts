/** The confidence in a result, based on how often a first result with the same score was right in the evaluation. */
export type Confidence = 'very' | 'probably' | 'perhaps' | 'hardly';

export const confidenceOf = (score: number): Confidence => {
  if (score >= 0.8) return 'very';
  if (score >= 0.5) return 'probably';
  return score >= 0.25 ? 'perhaps' : 'hardly';
};
