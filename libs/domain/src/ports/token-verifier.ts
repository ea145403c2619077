import type { IdentityClaims } from '../profiles/identity.ts';

/** Verifies identity tokens: JWTs of the enabled OpenID Connect issuers. */
export interface TokenVerifier {
  /**
   * Throws `invalid_token` for anything but a currently valid token of such an issuer for this audience, and
   * `identity_unavailable` if no key is available to decide.
   */
  verify(token: string): Promise<IdentityClaims>;
}
