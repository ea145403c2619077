/**
 * Returns a sentence about the confidence of a search. The first result's score is the share of labelled tasks for
 * which such a result was right.
 */
export const confidenceText = (score: number): string => {
  for (const [least, words] of levels) if (score >= least) return words;
  return 'Nothing fits well. These are the nearest: check with describe_operation, or rephrase the task.';
};

const levels: readonly (readonly [number, string])[] = [
  [0.8, 'The first is very likely right.'],
  [0.5, 'The first is probably right; compare it with the next.'],
  [0.25, 'Not sure: one of these may be right. Compare several with describe_operation before you choose.'],
];

export const nothingFits =
  'No operation that you may use fits. Rephrase the task, with the name of the API if you know it; ' +
  'list_apis shows your APIs. An administrator has to grant any other.';
