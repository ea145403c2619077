import { proofsOf, type Contract, type Sabotages, type Stores } from '@portico/contracts';
import { describe, test } from 'vitest';
import { createMemoryStores } from '../src/memory-stores.ts';

/** Runs the proofs of a contract. */
export const proveContract = <Cases extends Contract<Subject>, Subject>(
  contract: Cases,
  sabotages: Sabotages<Cases, Subject>,
  createSubject: () => Subject,
): void => {
  for (const [name, run] of proofsOf(contract, sabotages, createSubject)) test(name, run);
};

/** Runs the proofs of a contract of the memory stores. */
export const proveStores = <Cases extends Contract<Stores>>(
  name: string,
  contract: Cases,
  sabotages: Sabotages<Cases, Stores>,
): void => {
  describe(name, () => proveContract(contract, sabotages, createMemoryStores));
};
