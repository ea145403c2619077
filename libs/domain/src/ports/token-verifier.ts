/** What an identity token says that was found to be valid. */
export interface IdentityClaims {
  /** `sub`: 1 to 128 characters. */
  readonly uid: string;
  /** In lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** Verifies identity tokens: JWTs of the configured OpenID Connect issuer. */
export interface TokenVerifier {
  /**
   * Raises `invalid_token` for everything that is not a token of the issuer for this audience that is good now, and
   * `identity_unavailable` where no key is at hand to tell.
   */
  verify(token: string): Promise<IdentityClaims>;
}
