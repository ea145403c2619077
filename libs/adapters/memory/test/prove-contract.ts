import { proofsOf, type Contract, type Sabotages, type Stores } from '@portico/contracts';
import { describe, test } from 'vitest';
import { createMemoryStores } from '../src/memory-stores.ts';

/** Registers a contract's proofs as tests. */
export const proveContract = <Cases extends Contract<Subject>, Subject>(
  contract: Cases,
  sabotages: Sabotages<Cases, Subject>,
  createSubject: () => Subject,
): void => {
  for (const [name, run] of proofsOf(contract, sabotages, createSubject)) test(name, run);
};

/** Registers a contract's proofs for the memory stores as tests. */
export const proveStores = <Cases extends Contract<Stores>>(
  name: string,
  contract: Cases,
  sabotages: Sabotages<Cases, Stores>,
): void => {
  describe(name, () => proveContract(contract, sabotages, createMemoryStores));
};
