import { keyHasherContract, type Sabotages } from '@portico/contracts';
import type { KeyHasher } from '@portico/domain';
import { createMemoryKeyHasher } from './memory-key-hasher.ts';
import { proveContract } from '../test/prove-contract.ts';

const sabotages: Sabotages<typeof keyHasherContract, KeyHasher> = {
  'a secret matches the hash that was made of it, again and again': (keys) => {
    const seen = new Set<string>();
    return {
      ...keys,
      matches: async (secret, hash) => !seen.has(hash) && seen.add(hash) && keys.matches(secret, hash),
    };
  },
  'another secret does not match, also after the right one did': (keys) => {
    const seen = new Set<string>();
    return {
      ...keys,
      matches: async (secret, hash) => {
        const right = seen.has(hash) || (await keys.matches(secret, hash));
        if (right) seen.add(hash);
        return right;
      },
    };
  },
  'a secret that matched one hash does not match the hash of another secret': (keys) => {
    const seen = new Set<string>();
    return {
      ...keys,
      matches: async (secret, hash) => {
        const right = seen.has(secret) || (await keys.matches(secret, hash));
        if (right) seen.add(secret);
        return right;
      },
    };
  },
  'a hash is different at every call, and every one matches': (keys) => ({
    ...keys,
    hash: async (secret) => `same ${secret.length}`,
    matches: async () => true,
  }),
  'a hash does not show the secret': (keys) => ({
    ...keys,
    hash: async (secret) => `${secret}${await keys.hash(secret)}`,
  }),
  'a tag is an unsigned 32-bit integer, the same for the same secret': (keys) => ({
    ...keys,
    tag: (secret) => keys.tag(secret) - 2 ** 32,
  }),
  'tags of different secrets differ': (keys) => ({ ...keys, tag: (secret) => keys.tag(secret) & 1 }),
};

proveContract(keyHasherContract, sabotages, createMemoryKeyHasher);
