/** The tokens that an issuer returns for a sign-in. */
export interface Tokens {
  readonly id_token?: string | undefined;
  readonly refresh_token?: string | undefined;
}

/** Shows the instruction, and tries to open the page in a browser. */
export type OpenPage = (page: string, instruction: string) => Promise<void>;

/** The expiry of an identity token, in milliseconds since 1970. The server verifies the token, not this tool. */
export const expiryOf = (idToken: string): number => {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
  return ((JSON.parse(payload) as { readonly exp?: number }).exp ?? 0) * 1_000;
};
