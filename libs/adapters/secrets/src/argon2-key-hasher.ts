import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { createSemaphore } from '@portico/dependencies';
import { PorticoError, type Deadline, type KeyHasher } from '@portico/domain';
import { LRUCache } from 'lru-cache';

export interface Argon2KeyHasherOptions {
  /**
   * At least 16 random bytes that are specific to this installation and stored separately from the hashes. All secrets'
   * tags depend on the pepper.
   */
  readonly pepper: Uint8Array;
  /**
   * Number of concurrent hash computations, at least 1. Each one occupies a thread and 19 MiB for about 10 to 20 ms.
   */
  readonly concurrency: number;
  /** Maximum number of waiting computations, 256 by default. Further calls are rejected with `internal`. */
  readonly waitingMax?: number;
  /** Maximum number of secrets in the cache, 100,000 by default. */
  readonly cachedSecretsMax?: number;
  /** Called when an argon2 computation starts. */
  readonly onHash?: () => void;
}

/**
 * OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. The package's default algorithm is argon2id.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const pepperBytesMin = 16;

/** Maximum number of cached hashes per secret. */
const hashesMax = 2;

/**
 * Creates a hasher that hashes API secrets with argon2id and gives each a keyed tag. Whether a secret matches a hash
 * never changes, so each match is cached (under a keyed digest of the secret) and requires only one argon2 computation
 * per process. Callers only check secrets that have the right tag, so wrong secrets cannot fill the argon2 queue.
 * Throws a RangeError if the concurrency or the pepper is too small.
 */
export const createArgon2KeyHasher = ({
  pepper,
  concurrency,
  waitingMax = 256,
  cachedSecretsMax = 100_000,
  onHash = () => undefined,
}: Argon2KeyHasherOptions): KeyHasher => {
  if (pepper.length < pepperBytesMin) throw new RangeError(`The pepper must have ${pepperBytesMin} bytes or more`);
  const digestOf = createDigester(deriveKey(pepper, 'portico api key'));
  /** The hashes that a secret matches, usually one, keyed by the digest of the secret. */
  const matchCache = new LRUCache<string, readonly string[]>({ max: cachedSecretsMax });
  const inFlight = new Map<string, Promise<boolean>>();
  const semaphore = createSemaphore({ concurrency, waitingMax, createOverflowError });

  const compute = async <Result>(computation: () => Promise<Result>, deadline: Deadline | null): Promise<Result> => {
    if (deadline?.hasExpired) throw new PorticoError('timed_out');
    const task = () => {
      onHash();
      return computation();
    };
    return semaphore(task, (cancel) => deadline?.onExpired(() => cancel(new PorticoError('timed_out'))));
  };

  const verify = async (secret: string, hash: string, digest: string): Promise<boolean> => {
    // There is no deadline: all callers with this secret share the computation, and its result is cached.
    const matches = await compute(() => argon2Verify(hash, secret), null);
    if (matches) matchCache.set(digest, [...(matchCache.get(digest) ?? []), hash].slice(-hashesMax));
    return matches;
  };

  return {
    hash: (secret, deadline) => compute(() => argon2Hash(secret, cost), deadline),
    matches: (secret, hash) => {
      const digest = digestOf(secret).toString('base64');
      if (matchCache.get(digest)?.includes(hash)) return Promise.resolve(true);
      const cacheKey = digest + hash;
      const pending = inFlight.get(cacheKey);
      if (pending) return pending;
      const verification = verify(secret, hash, digest).finally(() => inFlight.delete(cacheKey));
      inFlight.set(cacheKey, verification);
      return verification;
    },
    tag: (secret) => digestOf(secret).readUInt32BE(0),
  };
};

const createOverflowError = (running: number, waiting: number): PorticoError =>
  new PorticoError('internal', {
    cause: new Error(`${running} computations are running and ${waiting} are waiting: no more are accepted`),
  });

/**
 * Creates a function that computes keyed digests. The first 32 bits of a digest are the tag; the whole digest is the
 * secret's cache key. A request needs both in succession, so the last digest is cached.
 */
const createDigester = (key: KeyObject): ((secret: string) => Buffer) => {
  let lastDigest: { readonly secret: string; readonly digest: Buffer } | null = null;
  return (secret) => {
    if (lastDigest?.secret !== secret)
      lastDigest = { secret, digest: createHmac('sha256', key).update(secret).digest() };
    return lastDigest.digest;
  };
};

/** Derives a separate key for each purpose (RFC 5869). A key object avoids repeating the key setup on each use. */
const deriveKey = (pepper: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', pepper, new Uint8Array(0), purpose, 32)));
