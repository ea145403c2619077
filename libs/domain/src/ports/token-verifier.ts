import type { IdentityClaims } from '../profiles/identity.ts';

/** Which tokens are taken: `identity` tokens alone, or also access tokens for this service (RFC 9068). */
export type TokenUse = 'identity' | 'identity or access';

/** Verifies tokens: JWTs of the enabled OpenID Connect issuers. */
export interface TokenVerifier {
  /**
   * Throws `invalid_token` for anything but a currently valid token of such an issuer for this audience and use, and
   * `identity_unavailable` if no key is available to decide. A token that was valid for one use is judged anew for
   * another. The use is `identity` by default. With a groups claim configured, returns the group names of the token and
   * when it was issued: none if the claim is absent, but null for an access token without it, and if the token has no `iat`. The claim is a name or, failing that,
   * a path of names joined by dots; its value a list, or one name. What cannot be a group's name is left out.
   */
  verify(token: string, use?: TokenUse): Promise<IdentityClaims>;
}
