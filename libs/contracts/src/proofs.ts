import { AssertionError, rejects } from 'node:assert/strict';
import type { Contract, Sabotages } from './contract.ts';

/**
 * Two tests for each sentence, by name: the subject keeps it, and a sabotage that breaks that one promise fails it. A
 * sabotage that crashes by itself proves nothing: the assertion of the case must fail.
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
