import { chanceContract } from '@portico/contracts';
import type { Sabotages } from '@portico/contracts';
import type { Chance } from '@portico/domain';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryChance } from './memory-chance.ts';

const sabotages: Sabotages<typeof chanceContract, Chance> = {
  'an id is a UUID of version 4 in lower case': (chance) => ({ ...chance, uuid: () => chance.uuid().toUpperCase() }),
  'no two ids are the same': (chance) => {
    const first = chance.uuid();
    let drawn = 0;
    return { ...chance, uuid: () => (drawn++ % 9_000 === 0 ? first : chance.uuid()) };
  },
  'there are as many bytes as were asked for': (chance) => ({ ...chance, bytes: (count) => chance.bytes(count + 1) }),
  'each value of a byte turns up about as often as any other': (chance) => ({
    ...chance,
    bytes: (count) => chance.bytes(count).map((byte) => byte % 255),
  }),
  'the bytes are new each time': (chance) => {
    const once = chance.bytes(256 * 400);
    return { ...chance, bytes: (count) => once.slice(0, count) };
  },
};

proveContract(chanceContract, sabotages, () => createMemoryChance());
