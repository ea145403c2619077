import { createHmac } from 'node:crypto';
import { keyHasherContract, type CountedKeyHasher, type Sabotages } from '@portico/contracts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryKeyHasher } from './memory-key-hasher.ts';

type Sabotage = (keys: CountedKeyHasher) => CountedKeyHasher;

const breaking =
  (broken: (keys: CountedKeyHasher) => Partial<CountedKeyHasher>): Sabotage =>
  (keys) => ({ ...keys, ...broken(keys) });

/** Remembers answers by a key that does not say enough. */
const remembering =
  (keyOf: (secret: string, hash: string) => string, isKept: (answer: boolean) => boolean): Sabotage =>
  (keys) => {
    const memo = new Map<string, boolean>();
    return {
      ...keys,
      matches: async (secret, hash) => {
        const key = keyOf(secret, hash);
        const answer = memo.get(key) ?? (await keys.matches(secret, hash));
        if (isKept(answer)) memo.set(key, answer);
        return answer;
      },
    };
  };

const sabotages: Sabotages<typeof keyHasherContract, CountedKeyHasher> = {
  'a hash is argon2id in PHC string format, with a salt of 16 bytes and 32 bytes of hash': breaking((keys) => ({
    hash: async (secret) => (await keys.hash(secret)).replace('argon2id', 'argon2i'),
  })),
  'a hash does not show the secret': breaking((keys) => ({
    hash: async (secret) => `${await keys.hash(secret)}$${secret}`,
  })),
  'a secret is hashed differently at every call': (keys) => {
    const made = new Map<string, Promise<string>>();
    const hash = (secret: string) => {
      const kept = made.get(secret) ?? keys.hash(secret);
      made.set(secret, kept);
      return kept;
    };
    return { ...keys, hash };
  },
  'a secret matches every hash that it made': (keys) => {
    const first = new Map<string, string>();
    return {
      ...keys,
      matches: async (secret, hash) => {
        first.set(secret, first.get(secret) ?? hash);
        return first.get(secret) === hash && keys.matches(secret, hash);
      },
    };
  },
  'another secret matches no hash, however near it is': breaking((keys) => ({
    hash: (secret) => keys.hash(secret.trim()),
    matches: (secret, hash) => keys.matches(secret.trim(), hash),
  })),
  'another secret does not match either after the right one did, and the other way round': remembering(
    (_, hash) => hash,
    (answer) => answer,
  ),
  'a secret that matched one hash does not match the hash of another secret': remembering(
    (secret) => secret,
    (answer) => answer,
  ),
  'what was found true once costs no second hash': breaking((keys) => ({
    matches: async (secret, hash) => (await keys.matches(secret, hash)) && (await spend(keys)),
  })),
  'what was found false is computed again': remembering(
    (secret, hash) => `${secret} ${hash}`,
    () => true,
  ),
  'simultaneous questions are each answered for their own secret': (keys) => {
    let running: Promise<boolean> | null = null;
    return {
      ...keys,
      matches: (secret, hash) => {
        running ??= keys.matches(secret, hash).finally(() => {
          running = null;
        });
        return running;
      },
    };
  },
  'a tag is an unsigned integer of 32 bits, the same at every call': breaking((keys) => ({
    tag: (secret) => keys.tag(secret) | 0,
  })),
  'tags use all of their 32 bits': breaking((keys) => ({ tag: (secret) => keys.tag(secret) >>> 1 })),
  'a tag tells a wrong secret, however near it is': breaking(() => ({
    tag: (secret) => createHmac('sha256', 'tag').update(secret.trim()).digest().readUInt32BE(0),
  })),
  'a tag costs no hash': (keys) => {
    let tags = 0;
    const tag = (secret: string) => {
      tags += 1;
      return keys.tag(secret);
    };
    return { ...keys, tag, computations: () => keys.computations() + tags };
  },
};

const spend = async (keys: CountedKeyHasher): Promise<boolean> => {
  await keys.hash('spent');
  return true;
};

proveContract(keyHasherContract, sabotages, createMemoryKeyHasher);
