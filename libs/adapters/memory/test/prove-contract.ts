import { proofsOf, type Contract, type Sabotages } from '@portico/contracts';
import { test } from 'vitest';

/** Runs the proofs of a contract. */
export const proveContract = <Cases extends Contract<Subject>, Subject>(
  contract: Cases,
  sabotages: Sabotages<Cases, Subject>,
  createSubject: () => Subject,
): void => {
  for (const [name, run] of proofsOf(contract, sabotages, createSubject)) test(name, run);
};
