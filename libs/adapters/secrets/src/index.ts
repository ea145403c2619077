export {
  createAesGcmCipher,
  keyIdOf,
  sealingKeyIdOf,
  UnknownKeyError,
  type AesGcmCipherOptions,
} from './aes-gcm-cipher.ts';
export { createArgon2KeyHasher, type Argon2KeyHasherOptions } from './argon2-key-hasher.ts';
export { createHmacMessageSigner } from './hmac-message-signer.ts';
export { makeSecretsKey, parseSecretsKey } from './secrets-key.ts';
