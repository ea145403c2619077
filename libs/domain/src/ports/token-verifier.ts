import type { IdentityClaims, ReportedEmail } from '../profiles/identity.ts';

/** Which tokens are accepted: only `identity` tokens, or also access tokens for this service (RFC 9068). */
export type TokenUse = 'identity' | 'identity or access';

/** Verifies tokens: JWTs of the enabled OpenID Connect issuers. */
export interface TokenVerifier {
  /**
   * Verifies a token. Throws `invalid_token` for anything but a currently valid token from such an issuer for this
   * audience and use, and `identity_unavailable` if no key is available for the decision. A token that was valid for
   * one use is validated again for a different one. The use is `identity` by default.
   *
   * If a groups claim is configured, returns the token's group names and its time of issue. If the claim is absent, the
   * list of names is empty; but the groups are null for an access token without the claim, and for a token without
   * `iat`. The claim is configured as a name or, failing that, a path of names joined by dots; its value is a list or
   * one name. Values that cannot be the name of a group are omitted.
   */
  verify(token: string, use?: TokenUse): Promise<IdentityClaims>;

  /**
   * Returns the email address that the issuer reports for the user of a verified access token, which itself rarely has
   * one. Returns null if the issuer reports nothing to the bearer of this token, or if it reports a different user.
   * Throws `identity_unavailable` if the issuer cannot be asked now.
   */
  readUserInfo(token: string, user: Pick<IdentityClaims, 'issuer' | 'uid'>): Promise<ReportedEmail | null>;
}
