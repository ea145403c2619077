export { createAesGcmVault, keyIdOf, sealingKeyId, UnknownKeyError, type AesGcmVaultOptions } from './aes-gcm-vault.ts';
export { createArgon2KeyHasher, type Argon2KeyHasherOptions } from './argon2-key-hasher.ts';
export { makeSecretsKey, parseSecretsKey } from './secrets-key.ts';
