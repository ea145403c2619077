import { AssertionError, rejects } from 'node:assert/strict';
import type { Contract, Sabotages } from './contract.ts';

/**
 * Returns two named tests for each sentence: one checks that the subject satisfies it, and the other that its case
 * fails for a sabotage that breaks only this promise. A sabotage that merely crashes proves nothing: an assertion in
 * the case must fail.
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
