import { keyHasherContract, type KeyHasherSubject, type Sabotages } from '@portico/contracts';
import type { KeyHasher } from '@portico/domain';
import { createMemoryKeyHasher } from './memory-key-hasher.ts';
import { proveContract } from '../test/prove-contract.ts';

const createSubject = (): KeyHasherSubject => {
  const keys = createMemoryKeyHasher();
  return { keys, computations: () => keys.computations() };
};

const breaking =
  (broken: (keys: KeyHasher) => Partial<KeyHasher>) =>
  (subject: KeyHasherSubject): KeyHasherSubject => ({ ...subject, keys: { ...subject.keys, ...broken(subject.keys) } });

const sabotages: Sabotages<typeof keyHasherContract, KeyHasherSubject> = {
  'a secret matches the hash that was made of it, again and again': breaking((keys) => {
    const seen = new Set<string>();
    return {
      matches: async (secret, hash) => !seen.has(hash) && seen.add(hash) && keys.matches(secret, hash),
    };
  }),
  'another secret does not match, also after the right one did': breaking((keys) => {
    const seen = new Set<string>();
    return {
      matches: async (secret, hash) => {
        const right = seen.has(hash) || (await keys.matches(secret, hash));
        if (right) seen.add(hash);
        return right;
      },
    };
  }),
  'a secret that matched one hash does not match the hash of another secret': breaking((keys) => {
    const seen = new Set<string>();
    return {
      matches: async (secret, hash) => {
        const right = seen.has(secret) || (await keys.matches(secret, hash));
        if (right) seen.add(secret);
        return right;
      },
    };
  }),
  'a hash is different at every call, and every one matches': breaking(() => ({
    hash: async (secret) => `same ${secret.length}`,
    matches: async () => true,
  })),
  'a hash is argon2id in PHC string format': breaking((keys) => ({
    hash: async (secret) => (await keys.hash(secret, null)).replace('$argon2id$', '$argon2i$'),
  })),
  'a second match of the same pair computes no hash': breaking((keys) => {
    const last = new Map<string, string>();
    return {
      matches: async (secret, hash) => {
        if (last.get(secret) !== hash) await keys.hash(secret, null);
        last.set(secret, hash);
        return keys.matches(secret, hash);
      },
    };
  }),
  'a hash does not show the secret': breaking((keys) => ({
    hash: async (secret) => `${secret}${await keys.hash(secret, null)}`,
  })),
  'no hash is made once the deadline has expired': breaking((keys) => ({ hash: (secret) => keys.hash(secret, null) })),
  'a tag is an unsigned 32-bit integer, the same for the same secret': breaking((keys) => ({
    tag: (secret) => keys.tag(secret) - 2 ** 32,
  })),
  'tags of different secrets differ': breaking((keys) => ({ tag: (secret) => keys.tag(secret) & 1 })),
};

proveContract(keyHasherContract, sabotages, createSubject);
