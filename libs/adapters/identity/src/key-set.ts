import { createHash } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { tokenAlgorithms, type TokenAlgorithm, type TokenHeader } from './token-rules.ts';

/** The public keys that an issuer signs with. */
export interface KeySet {
  /** An identifier that is the same for two sets exactly if they contain the same usable keys. */
  readonly generation: string;
  /** Returns the key that must have signed the token; null unless exactly one key matches this header. */
  find(header: Pick<TokenHeader, 'algorithm' | 'keyId'>): CryptoKey | null;
}

/** A source of the keys of a verifier's issuer. */
export interface KeySource {
  /** Returns the current set. Throws `identity_unavailable` if there is none. */
  getCurrent(): Promise<KeySet>;
  /** Returns a newer set, which may have a key that this set lacks; null if there is none yet. */
  findNewer(set: KeySet): Promise<KeySet | null>;
}

const keysMax = 50;
const rsaMinBits = 2_048;
const rsaMaxBits = 16_384;

/**
 * Parses a JWK set (RFC 7517). Skips keys that are intended for a different use, weak, invalid or of an unknown kind
 * (section 5). Throws if the text is not a key set, has no usable key, or has two usable keys with the same id.
 */
export const readKeySet = async (text: string): Promise<KeySet> => {
  const importedKeys = (await Promise.all(keysOf(text).flatMap(toUsableKeys).map(importKey)))
    .flat()
    .sort(compareByName);
  if (importedKeys.length === 0) throw new Error('The key set has no usable key');
  const duplicateKey = importedKeys.find(
    (key, index) => index > 0 && compareByName(key, importedKeys[index - 1] ?? key) === 0 && key.keyId !== null,
  );
  if (duplicateKey) throw new Error(`The key set has two keys with the id ${JSON.stringify(duplicateKey.keyId)}`);
  const contents = importedKeys.map(({ algorithm, keyId, jwk }) => ({ algorithm, keyId, jwk }));
  return {
    generation: createHash('sha256').update(JSON.stringify(contents)).digest('base64url'),
    find(header) {
      const [key, ...otherKeys] = importedKeys.filter(
        ({ algorithm, keyId }) => algorithm === header.algorithm && (header.keyId === null || header.keyId === keyId),
      );
      return key && otherKeys.length === 0 ? key.key : null;
    },
  };
};

interface UsableKey {
  readonly algorithm: TokenAlgorithm;
  readonly keyId: string | null;
  /** The public members only, even if the issuer also published private ones. */
  readonly jwk: JWK;
}

type PublishedKey = Readonly<Record<string, unknown>>;

const keysOf = (text: string): readonly PublishedKey[] => {
  const document: unknown = JSON.parse(text);
  const keys = isObject(document) ? document.keys : null;
  if (!Array.isArray(keys)) throw new Error('The key set has no array of keys');
  if (keys.length > keysMax) throw new Error(`The key set has more than ${keysMax} keys`);
  return keys.filter(isObject);
};

const isObject = (value: unknown): value is PublishedKey =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toUsableKeys = (key: PublishedKey): readonly UsableKey[] => {
  const { use, key_ops: operations, kid, alg } = key;
  if (use !== undefined && use !== 'sig') return [];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return [];
  const kind = kindOf(key);
  return tokenAlgorithms
    .filter((algorithm) => kind?.algorithms.includes(algorithm) && (alg === undefined || alg === algorithm))
    .flatMap((algorithm) =>
      kind ? [{ algorithm, keyId: isString(kid) && kid !== '' ? kid : null, jwk: kind.jwk }] : [],
    );
};

/** Returns the kind of a key; null if no allowed algorithm uses it. */
const kindOf = ({ kty, crv, n, e, x, y }: PublishedKey): KeyKind | null => {
  if (kty === 'RSA' && isString(n) && isString(e)) {
    const bits = bitsOf(n);
    return bits < rsaMinBits || bits > rsaMaxBits ? null : { algorithms: ['RS256', 'PS256'], jwk: { kty, n, e } };
  }
  if (kty === 'EC' && crv === 'P-256' && isString(x) && isString(y)) {
    return { algorithms: ['ES256'], jwk: { kty, crv, x, y } };
  }
  if (kty === 'OKP' && crv === 'Ed25519' && isString(x)) return { algorithms: ['EdDSA'], jwk: { kty, crv, x } };
  return null;
};

interface KeyKind {
  readonly algorithms: readonly TokenAlgorithm[];
  readonly jwk: JWK;
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** Returns the length of a modulus in bits, without leading zeros. */
const bitsOf = (modulus: string): number => {
  const hex = Buffer.from(modulus, 'base64url').toString('hex').replace(/^0+/, '');
  return hex === '' ? 0 : hex.length * 4 - Math.clz32(parseInt(hex.slice(0, 1), 16)) + 28;
};

const nameOf = ({ algorithm, keyId }: UsableKey): string => `${algorithm} ${keyId ?? ''}`;

const compareByName = (left: UsableKey, right: UsableKey): number => {
  if (nameOf(left) === nameOf(right)) return 0;
  return nameOf(left) < nameOf(right) ? -1 : 1;
};

/**
 * Imports a key. Returns an empty list if the numbers are not a valid key, such as a point that is not on the curve.
 */
const importKey = async (usableKey: UsableKey): Promise<readonly (UsableKey & { readonly key: CryptoKey })[]> => {
  try {
    const key = await importJWK(usableKey.jwk, usableKey.algorithm);
    return key instanceof Uint8Array ? [] : [{ ...usableKey, key }];
  } catch {
    return [];
  }
};
