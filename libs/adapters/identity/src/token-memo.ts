import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { VerifiedToken } from './verify-token.ts';

const memoMax = 20_000;

/**
 * Remembers by digest that a token was found valid, never the token. A signature's validity does not change, so only time and
 * the key set can end it: what was found under another `generation` of keys is not found again.
 */
export const createTokenMemo = () => {
  const memo = new LRUCache<string, VerifiedToken & { readonly generation: number }>({ max: memoMax });
  return {
    find: (digest: string, generation: number, now: number): VerifiedToken | null => {
      const found = memo.get(digest);
      return found && found.generation === generation && now < found.expiresAt ? found : null;
    },
    keep: (digest: string, generation: number, verified: VerifiedToken): void => {
      memo.set(digest, { ...verified, generation });
    },
  };
};

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');
