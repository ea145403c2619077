import { oneTimeCodeStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

const sabotages: Sabotages<typeof oneTimeCodeStoreContract, Stores> = {
  'a stored code is taken as it was given': breaking('oneTimeCodes', (right) => ({
    put: (code, now) => right.put({ ...code, payload: code.payload.normalize('NFD') }, now),
  })),
  'a code is taken once': breaking('oneTimeCodes', (right) => ({
    take: async (digest, purpose, now) => {
      const code = await right.take(digest, purpose, now);
      if (code) await right.put(code, now);
      return code;
    },
  })),
  'of concurrent calls exactly one gets a code': breaking('oneTimeCodes', (right, _stores, { oneTimeCodes }) => ({
    take: async (digest, purpose, now) => {
      const code = oneTimeCodes.get(digest) ?? null;
      await pause();
      return (await right.take(digest, purpose, now)) ?? code;
    },
  })),
  'a digest without a code returns nothing': breaking('oneTimeCodes', (right, _stores, { oneTimeCodes }) => ({
    take: async (digest, purpose, now) =>
      (await right.take(digest, purpose, now)) ?? [...oneTimeCodes.values()].at(0) ?? null,
  })),
  'a code is not taken for another purpose, and stays': breaking(
    'oneTimeCodes',
    (right, _stores, { oneTimeCodes }) => ({
      take: (digest, purpose, now) => right.take(digest, oneTimeCodes.get(digest)?.purpose ?? purpose, now),
    }),
  ),
  'a code is good until the instant of its end, which is no longer good': breaking('oneTimeCodes', (right) => ({
    take: (digest, purpose, now) => right.take(digest, purpose, now - 1),
  })),
  'storing a code removes those that have expired, and no other': breaking('oneTimeCodes', (right) => ({
    put: (code) => right.put(code, 0),
  })),
};

describe('the memory one-time code store', () => {
  proveContract(oneTimeCodeStoreContract, sabotages, createMemoryStores);
});
