import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The public key as a JWK (RFC 7517). */
  readonly published: object;
}

/** An issuer's RSA keys, which can be rotated. */
export class SigningKeys {
  #keys: readonly [SigningKey, ...SigningKey[]] = [newKey()];

  rotate(): void {
    this.#keys = [newKey(), ...this.#keys];
  }

  /** Removes all keys except the current signing key. */
  retire(): void {
    this.#keys = [this.#keys[0]];
  }

  published(): readonly object[] {
    return this.#keys.map(({ published }) => published);
  }

  /** Returns a compact JWT, signed with RS256 (RFC 7515, section 3.1). */
  sign(claims: object): string {
    const [{ kid, privateKey }] = this.#keys;
    const signed = [{ alg: 'RS256', kid, typ: 'JWT' }, claims].map(encode).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const newKey = (): SigningKey => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const kid = randomUUID();
  return { kid, privateKey, published: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } };
};
