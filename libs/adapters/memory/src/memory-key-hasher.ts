import { createHmac, randomBytes } from 'node:crypto';
import type { KeyHasher } from '@portico/domain';

/** The promises of a hasher without its slowness: for tests alone, since what it keeps could be guessed. */
export const createMemoryKeyHasher = (): KeyHasher => {
  const digest = (key: string, secret: string): Buffer => createHmac('sha256', key).update(secret).digest();
  const hashWith = (salt: string, secret: string): string => `$memory$${salt}$${digest(salt, secret).toString('hex')}`;
  return {
    async hash(secret) {
      return hashWith(randomBytes(8).toString('hex'), secret);
    },
    async matches(secret, hash) {
      const [, , salt = ''] = hash.split('$');
      return hashWith(salt, secret) === hash;
    },
    tag: (secret) => digest('tag', secret).readUInt32BE(0),
  };
};
