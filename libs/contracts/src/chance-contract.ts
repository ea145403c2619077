import assert from 'node:assert/strict';
import type { Chance } from '@portico/domain';
import type { Contract } from './contract.ts';

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const chanceContract = {
  'an id is a UUID of version 4 in lower case': async (chance) => {
    for (let count = 0; count < 100; count++) assert.match(chance.uuid(), version4);
  },

  'no two ids are the same': async (chance) => {
    assert.equal(new Set(Array.from({ length: 10_000 }, () => chance.uuid())).size, 10_000);
  },

  'there are as many bytes as were asked for': async (chance) => {
    for (const count of [0, 1, 12, 32, 1000]) assert.equal(chance.bytes(count).length, count);
  },

  'each value of a byte turns up about as often as any other': async (chance) => {
    const seen = new Uint32Array(256);
    for (const byte of chance.bytes(256 * 400)) seen[byte] = (seen[byte] ?? 0) + 1;
    // 400 are expected with a standard deviation of 20: ten of them away is chance in no lifetime.
    assert.ok(Math.min(...seen) > 200 && Math.max(...seen) < 600, `${Math.min(...seen)} to ${Math.max(...seen)}`);
  },

  'the bytes are new each time': async (chance) => {
    const drawn = Array.from({ length: 1000 }, () => chance.bytes(16).join());
    assert.equal(new Set(drawn).size, 1000);
  },
} satisfies Contract<Chance>;
