import { AssertionError, rejects } from 'node:assert/strict';
import type { Contract, Sabotages } from './contract.ts';

/**
 * Returns two named tests for each sentence: that the subject satisfies it, and that a sabotage which breaks this one
 * promise fails it. A sabotage that merely crashes proves nothing: an assertion of the case must fail.
 */
export const proofsOf = <Cases extends Contract<Subject>, Subject>(
  contract: Cases,
  sabotages: Sabotages<Cases, Subject>,
  createSubject: () => Subject,
): readonly (readonly [name: string, run: () => Promise<void>])[] =>
  Object.entries(contract).flatMap(([sentence, check]) => [
    [sentence, () => check(createSubject())],
    [
      `a breach is caught: ${sentence}`,
      () => rejects(async () => check(sabotages[sentence as keyof Cases](createSubject())), AssertionError),
    ],
  ]);
