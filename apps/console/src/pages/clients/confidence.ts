/** The confidence in a result: the share of evaluated tasks whose first result had this score and was right. */
export type Confidence = 'very' | 'probably' | 'perhaps' | 'hardly';

export const confidenceOf = (score: number): Confidence => {
  if (score >= 0.8) return 'very';
  if (score >= 0.5) return 'probably';
  return score >= 0.25 ? 'perhaps' : 'hardly';
};
