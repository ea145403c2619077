/**
 * Returns a sentence about the confidence of a search. The first result's score is the share of labelled tasks for
 * which such a result was right. The sentences name this share, because words alone are read as more than it: 9 of 11
 * first results with a score of .8 or more were right, 17 of 24 from .5, and 9 of 23 from .25 (`npm run search:eval`).
 */
export const describeConfidence = (score: number): string => {
  for (const [minimumScore, sentence] of levels) if (score >= minimumScore) return sentence;
  return 'No good match. These are the closest: check them with describe_operation, or rephrase the task.';
};

const levels: readonly (readonly [number, string])[] = [
  [0.8, 'The first result is probably right: about 4 in 5 with such a score are. Check that it does the task.'],
  [
    0.5,
    'The first result is more likely right than not: about 2 in 3 with such a score are. Compare it with the next one.',
  ],
  [
    0.25,
    'Not sure: about 2 in 5 first results with such a score are right. Compare several with describe_operation before ' +
      'you choose.',
  ],
];

export const noMatchText =
  'None of the operations that you may use matches. Rephrase the task, with the name of the API if you know it; ' +
  'list_apis shows your APIs. An administrator has to grant access to other APIs.';
