import { argon2Sync, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PorticoError, type KeyHasher } from '@portico/domain';

export interface MemoryKeyHasher extends KeyHasher {
  /** How many argon2 computations there have been. */
  computations(): number;
}

/** argon2id with the least memory that it takes (8 KiB): for tests alone, since what it guards could be guessed. */
export const createMemoryKeyHasher = (): MemoryKeyHasher => {
  const found = new Set<string>();
  let computations = 0;
  const compute = (secret: string, nonce: Uint8Array): Buffer => {
    computations += 1;
    return argon2Sync('argon2id', { message: secret, nonce, parallelism: 1, tagLength: 32, memory: 8, passes: 1 });
  };
  return {
    async hash(secret, deadline) {
      if (deadline?.expired) throw new PorticoError('timed_out');
      const nonce = randomBytes(16);
      return `${parameters}${unpadded(nonce)}$${unpadded(compute(secret, nonce))}`;
    },
    async matches(secret, hash) {
      const pair = JSON.stringify([secret, hash]);
      if (found.has(pair)) return true;
      const { nonce, digest } = parse(hash);
      const isMatch = timingSafeEqual(compute(secret, nonce), digest);
      if (isMatch) found.add(pair);
      return isMatch;
    },
    tag: (secret) => createHmac('sha256', 'tag').update(secret).digest().readUInt32BE(0),
    computations: () => computations,
  };
};

const parameters = '$argon2id$v=19$m=8,t=1,p=1$';

const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const parse = (hash: string): { readonly nonce: Uint8Array; readonly digest: Uint8Array } => {
  const [nonce, digest] = hash.slice(parameters.length).split('$');
  const digestBytes = Buffer.from(digest ?? '', 'base64');
  if (!hash.startsWith(parameters) || !nonce || digestBytes.length !== 32) throw new Error('This is no hash of ours');
  return { nonce: Buffer.from(nonce, 'base64'), digest: digestBytes };
};
