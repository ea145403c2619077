/** How sure a result is, by the share of judged tasks whose first result had such a score and was right. */
export type Sureness = 'very' | 'probably' | 'perhaps' | 'hardly';

export const surenessOf = (score: number): Sureness => {
  if (score >= 0.8) return 'very';
  if (score >= 0.5) return 'probably';
  return score >= 0.25 ? 'perhaps' : 'hardly';
};
