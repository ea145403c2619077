/** The tokens that an issuer returns for a sign-in. */
export interface Tokens {
  readonly id_token?: string | undefined;
  readonly refresh_token?: string | undefined;
}

/** Shows the instruction, and tries to open the page in a browser. */
export type OpenPage = (page: string, instruction: string) => Promise<void>;

/** Returns an identity token's expiry, in milliseconds since 1970. Does not verify the token; the server does. */
export const expiryOf = (idToken: string): number => {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
  return ((JSON.parse(payload) as { readonly exp?: number }).exp ?? 0) * 1_000;
};
