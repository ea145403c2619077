/** How sure a search is, from the score of its first result: the share of judged tasks for which such a one was right. */
export const confidenceWords = (score: number): string => {
  for (const [least, words] of levels) if (score >= least) return words;
  return 'Nothing fits well. These are the nearest: check with describe_operation, or say the task in other words.';
};

const levels: readonly (readonly [number, string])[] = [
  [0.8, 'The first is very likely right.'],
  [0.5, 'The first is probably right; compare it with the next.'],
  [0.25, 'Not sure: one of these may be right. Compare several with describe_operation before you choose.'],
];

export const nothingFits =
  'No operation that you may use fits. Say the task in other words, with the name of the API if you know it; ' +
  'list_apis shows what there is. What is missing there, an administrator has to grant.';
