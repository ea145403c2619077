import type { IdentityClaims } from '../profiles/identity.ts';

/** Which tokens are accepted: only `identity` tokens, or also access tokens for this service (RFC 9068). */
export type TokenUse = 'identity' | 'identity or access';

/** Verifies tokens: JWTs of the enabled OpenID Connect issuers. */
export interface TokenVerifier {
  /**
   * Verifies a token. Throws `invalid_token` for anything but a currently valid token of such an issuer for this
   * audience and use, and `identity_unavailable` if no key is available to decide. A token that was valid for one use
   * is validated again for another. The use is `identity` by default.
   *
   * If a groups claim is configured, returns the group names of the token and its time of issue. If the claim is
   * absent, the names are empty, but the result is null for an access token without the claim, and if the token has no
   * `iat`. The claim is a name or, failing that, a path of names joined by dots; its value is a list or one name.
   * Values that cannot be the name of a group are omitted.
   */
  verify(token: string, use?: TokenUse): Promise<IdentityClaims>;
}
