import assert from 'node:assert/strict';
import type { RandomSource } from '@portico/domain';
import type { Contract } from './contract.ts';

const uuidV4Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const randomSourceContract = {
  'an id is a UUID of version 4 in lower case': async (random) => {
    for (let count = 0; count < 100; count++) assert.match(random.uuid(), uuidV4Pattern);
  },

  'ids are unique': async (random) => {
    assert.equal(new Set(Array.from({ length: 10_000 }, () => random.uuid())).size, 10_000);
  },

  '`bytes` returns the requested number of bytes': async (random) => {
    for (const count of [0, 1, 12, 32, 1000]) assert.equal(random.bytes(count).length, count);
  },

  'every byte value occurs about equally often': async (random) => {
    const counts = new Uint32Array(256);
    for (const byte of random.bytes(256 * 400)) counts[byte] = (counts[byte] ?? 0) + 1;
    // The expected count is 400, with a standard deviation of 20. Ten standard deviations do not occur by chance.
    assert.ok(
      Math.min(...counts) > 200 && Math.max(...counts) < 600,
      `${Math.min(...counts)} to ${Math.max(...counts)}`,
    );
  },

  'the bytes differ each time': async (random) => {
    const samples = Array.from({ length: 1000 }, () => random.bytes(16).join());
    assert.equal(new Set(samples).size, 1000);
  },
} satisfies Contract<RandomSource>;
