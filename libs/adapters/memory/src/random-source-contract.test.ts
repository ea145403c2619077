import { randomSourceContract } from '@portico/contracts';
import type { Sabotages } from '@portico/contracts';
import type { RandomSource } from '@portico/domain';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryRandomSource } from './memory-random-source.ts';

const sabotages: Sabotages<typeof randomSourceContract, RandomSource> = {
  'an id is a UUID of version 4 in lower case': (random) => ({ ...random, uuid: () => random.uuid().toUpperCase() }),
  'no two ids are the same': (random) => {
    const first = random.uuid();
    let drawn = 0;
    return { ...random, uuid: () => (drawn++ % 9_000 === 0 ? first : random.uuid()) };
  },
  'there are as many bytes as were asked for': (random) => ({ ...random, bytes: (count) => random.bytes(count + 1) }),
  'each value of a byte turns up about as often as any other': (random) => ({
    ...random,
    bytes: (count) => random.bytes(count).map((byte) => byte % 255),
  }),
  'the bytes are new each time': (random) => {
    const once = random.bytes(256 * 400);
    return { ...random, bytes: (count) => once.slice(0, count) };
  },
};

proveContract(randomSourceContract, sabotages, () => createMemoryRandomSource());
