import { PorticoError, type Clock, type IdentityClaims, type TokenVerifier } from '@portico/domain';

export interface MemoryTokenVerifier extends TokenVerifier {
  /** A token for these claims, good for so long. */
  mint(
    claims: { readonly uid: string; readonly email?: string; readonly emailVerified?: boolean },
    ttlSeconds?: number,
  ): string;
  /** From now on no token can be judged, or it can again. */
  setAvailable(available: boolean): void;
}

const skewMs = 60_000;

/** Understands the tokens that it made itself, and remembers them. */
export const createMemoryTokenVerifier = ({ clock }: { readonly clock: Pick<Clock, 'now'> }): MemoryTokenVerifier => {
  const minted = new Map<string, IdentityClaims & { readonly expiresAt: number }>();
  let isAvailable = true;
  return {
    mint({ uid, email, emailVerified = false }, ttlSeconds = 3_600) {
      const token = `memory.${Buffer.from(uid).toString('base64url')}.${minted.size}`;
      minted.set(token, {
        uid,
        email: email?.toLowerCase() ?? null,
        emailVerified,
        expiresAt: clock.now() + ttlSeconds * 1_000,
      });
      return token;
    },
    setAvailable(available) {
      isAvailable = available;
    },
    async verify(token) {
      if (!isAvailable) throw new PorticoError('identity_unavailable');
      const found = minted.get(token);
      if (!found || clock.now() >= found.expiresAt + skewMs) throw new PorticoError('invalid_token');
      const { uid, email, emailVerified } = found;
      return { uid, email, emailVerified };
    },
  };
};
