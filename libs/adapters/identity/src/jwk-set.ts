import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';

export interface KeySet {
  /** Finds the key that a token's header names. */
  readonly find: JWTVerifyGetKey;
  /** The same set as text, to be kept. */
  readonly text: string;
}

const keysMax = 50;
const rsaBitsMin = 2_048;

/**
 * The signing keys of a JWK Set (RFC 7517) that may be believed: asymmetric, and RSA keys of 2048 bits or more. Raises where
 * the text is none, or holds no such key.
 */
export const parseKeySet = (text: string): KeySet => {
  const parsed = JSON.parse(text) as { keys?: unknown } | null;
  if (!Array.isArray(parsed?.keys) || parsed.keys.length > keysMax) {
    throw new Error('The key set is no JWK Set of at most 50 keys');
  }
  const keys = (parsed.keys as JWK[]).filter(isSigningKey);
  if (keys.length === 0) throw new Error('The key set holds no usable signing key');
  const set: JSONWebKeySet = { keys };
  return { find: createLocalJWKSet(set), text: JSON.stringify(set) };
};

const isSigningKey = (key: JWK | null): boolean => {
  if (typeof key !== 'object' || key === null || (key.use !== undefined && key.use !== 'sig')) return false;
  if (key.kty === 'RSA') return typeof key.n === 'string' && bitsOf(key.n) >= rsaBitsMin;
  return key.kty === 'EC' || key.kty === 'OKP';
};

const bitsOf = (base64url: string): number => {
  const bytes = Buffer.from(base64url, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24;
};
