import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import type { KeyHasher } from '@portico/domain';
import { LRUCache } from 'lru-cache';
import { createTurnstile } from './turnstile.ts';

export interface Argon2KeyHasherOptions {
  /** 32 random bytes of this installation, kept apart from the hashes; the tags of all secrets depend on them. */
  readonly pepper: Uint8Array;
  /** How many hashes are computed at once: each takes a thread and 19 MiB for some 10 to 20 ms. */
  readonly concurrency: number;
  /** How many secrets are remembered at most. */
  readonly memoMax?: number;
}

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. The package's default algorithm is argon2id. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * API secrets as argon2id hashes with a keyed tag. That a secret made a hash never changes, so it is remembered (keyed digest
 * → hash) and costs argon2 once a process. Only secrets whose tag was right come here to be matched, so that the queue before
 * argon2 is no longer than there are keys in use.
 */
export const createArgon2KeyHasher = ({
  pepper,
  concurrency,
  memoMax = 100_000,
}: Argon2KeyHasherOptions): KeyHasher => {
  const tagKey = derived(pepper, 'portico api key tag');
  const memoKey = derived(pepper, 'portico api key memo');
  const memo = new LRUCache<string, string>({ max: memoMax });
  const underWay = new Map<string, Promise<boolean>>();
  const turnstile = createTurnstile(concurrency);

  const verify = async (secret: string, hash: string, digest: string): Promise<boolean> => {
    const matches = await turnstile(() => argon2Verify(hash, secret));
    if (matches) memo.set(digest, hash);
    return matches;
  };

  return {
    hash: (secret) => turnstile(() => argon2Hash(secret, cost)),
    matches: (secret, hash) => {
      const digest = createHmac('sha256', memoKey).update(secret).digest('base64');
      if (memo.get(digest) === hash) return Promise.resolve(true);
      const pair = `${digest}${hash}`;
      const running = underWay.get(pair);
      if (running) return running;
      const started = verify(secret, hash, digest).finally(() => underWay.delete(pair));
      underWay.set(pair, started);
      return started;
    },
    tag: (secret) => createHmac('sha256', tagKey).update(secret).digest().readUInt32BE(0),
  };
};

/** A key of its own for each purpose (RFC 5869), as a prepared object, which spares its schedule at every use. */
const derived = (pepper: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', pepper, new Uint8Array(0), purpose, 32)));
