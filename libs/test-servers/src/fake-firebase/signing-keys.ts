import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The public key as a JWK (RFC 7517). */
  readonly publicJwk: object;
}

/** An issuer's RSA keys, which can be rotated. */
export class SigningKeys {
  #keys: readonly [SigningKey, ...SigningKey[]] = [createKey()];

  rotate(): void {
    this.#keys = [createKey(), ...this.#keys];
  }

  /** Removes all keys except the current signing key. */
  retireOldKeys(): void {
    this.#keys = [this.#keys[0]];
  }

  listPublished(): readonly object[] {
    return this.#keys.map(({ publicJwk }) => publicJwk);
  }

  /** Returns a compact JWT, signed with RS256 (RFC 7515, section 3.1). */
  sign(claims: object): string {
    const [{ kid, privateKey }] = this.#keys;
    const signingInput = [{ alg: 'RS256', kid, typ: 'JWT' }, claims].map(encode).join('.');
    return `${signingInput}.${sign('sha256', Buffer.from(signingInput), privateKey).toString('base64url')}`;
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const createKey = (): SigningKey => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const kid = randomUUID();
  return { kid, privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } };
};
