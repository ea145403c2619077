/**
 * Returns a sentence about the confidence of a search. The first result's score is the share of labelled tasks for
 * which such a result was right.
 */
export const describeConfidence = (score: number): string => {
  for (const [minimumScore, sentence] of levels) if (score >= minimumScore) return sentence;
  return 'No good match. These are the closest: check them with describe_operation, or rephrase the task.';
};

const levels: readonly (readonly [number, string])[] = [
  [0.8, 'The first result is very likely right.'],
  [0.5, 'The first result is probably right; compare it with the next one.'],
  [0.25, 'Not sure: one of these may be right. Compare several with describe_operation before you choose.'],
];

export const noMatchText =
  'None of the operations that you may use matches. Rephrase the task, with the name of the API if you know it; ' +
  'list_apis shows your APIs. An administrator has to grant access to other APIs.';
