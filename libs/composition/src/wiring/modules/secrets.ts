import { availableParallelism } from 'node:os';
import { pepperContext, type SealedStore } from '@portico/domain';
import { createAesGcmCipher, createArgon2KeyHasher, createHmacMessageSigner } from '@portico/secrets';
import type { Module } from '../parts.ts';
import { createLostPepperError, openSecretsKeys, type SecretsKeys } from '../secrets-key.ts';

/** Protects secrets at rest: AES-256-GCM with the configured key, argon2id with the installation's pepper. */
export const secretsModule: Module = (provide) => {
  provide('secretsKey', ['config', 'database', 'logger'], (config, { stores }, logger) =>
    openSecretsKeys(config, stores.sealed, logger),
  );
  provide('cipher', ['secretsKey'], createAesGcmCipher);
  provide('signer', [], createHmacMessageSigner);
  provide('keys', ['secretsKey', 'database', 'random'], async (secretsKey, { stores }, random) =>
    createArgon2KeyHasher({
      pepper: await loadPepper(secretsKey, stores.sealed, () => random.bytes(32)),
      concurrency: Math.max(1, availableParallelism() - 1),
    }),
  );
};

/**
 * Returns the pepper, which is created once for a database and stored sealed in it, so that the tags of API keys
 * survive a change of the secrets key. The first start with a new key reseals the pepper, which then no longer needs
 * the previous key.
 */
const loadPepper = async (
  keys: SecretsKeys,
  sealedStore: SealedStore,
  generateBytes: () => Uint8Array,
): Promise<Uint8Array> => {
  const cipher = createAesGcmCipher(keys);
  const sealedNewPepper = cipher.seal(Buffer.from(generateBytes()).toString('base64'), pepperContext);
  const sealedPepper = await sealedStore.ensurePepper(sealedNewPepper);
  const pepper = openPepper(keys, sealedPepper);
  if (!cipher.isCurrent(sealedPepper)) await sealedStore.resealPepper(sealedPepper, cipher.seal(pepper, pepperContext));
  return Buffer.from(pepper, 'base64');
};

const openPepper = (keys: SecretsKeys, sealedPepper: string): string => {
  try {
    return createAesGcmCipher(keys).open(sealedPepper, pepperContext);
  } catch (error) {
    throw createLostPepperError(keys, error);
  }
};
