import { AssertionError } from 'node:assert';
import type { Contract, Sabotages } from '@portico/contracts';
import { expect, test } from 'vitest';

/**
 * Two tests for each sentence: it holds for the reference, and it is seen to fail where a sabotage breaks that one
 * promise, so that no case is one that cannot fail. A sabotage that falls over by itself proves nothing: the case must
 * be what objects.
 */
export const proveContract = <Cases extends Contract<Subject>, Subject>(
  contract: Cases,
  sabotages: Sabotages<Cases, Subject>,
  createSubject: () => Subject,
): void => {
  for (const [sentence, check] of Object.entries(contract)) {
    test(sentence, async () => {
      await check(createSubject());
    });

    test(`a breach is caught: ${sentence}`, async () => {
      const sabotage = sabotages[sentence as keyof Cases];
      await expect(check(sabotage(createSubject()))).rejects.toBeInstanceOf(AssertionError);
    });
  }
};
