import type { IdentityClaims } from '../profiles/identity.ts';

/** Verifies identity tokens: JWTs of the OpenID Connect issuers that are on. */
export interface TokenVerifier {
  /**
   * Throws `invalid_token` for everything that is not a token of such an issuer for this audience that is good now, and
   * `identity_unavailable` where no key is at hand to tell.
   */
  verify(token: string): Promise<IdentityClaims>;
}
