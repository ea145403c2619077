/** What an identity token says that was found to be valid. */
export interface IdentityClaims {
  /** `iss`, to the letter: whose word it is that this is the subject. */
  readonly issuer: string;
  /** `sub`: 1 to 128 characters. */
  readonly uid: string;
  /** In lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** Verifies identity tokens: JWTs of the OpenID Connect issuers that are on. */
export interface TokenVerifier {
  /**
   * Raises `invalid_token` for everything that is not a token of such an issuer for this audience that is good now, and
   * `identity_unavailable` where no key is at hand to tell.
   */
  verify(token: string): Promise<IdentityClaims>;
}
