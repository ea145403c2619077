import { AssertionError, rejects } from 'node:assert/strict';
import type { Contract, Sabotages } from './contract.ts';

/**
 * Two tests for each sentence, by name: it holds for the subject, and it is seen to fail where a sabotage breaks that one promise.
 * A sabotage that falls over by itself proves nothing: the case must be what objects.
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
