import type { TokenClaims } from '@portico/contracts';
import type { IdentityClaims, ReportedEmail, TokenUse, TokenVerifier } from '@portico/domain';

interface WithVerifier {
  readonly verifier: Pick<TokenVerifier, 'verify'>;
}

/** Returns a sabotage that replaces the verification. */
export const replaceVerify =
  <Subject extends WithVerifier>(
    verify: (subject: Subject, token: string, use?: TokenUse) => Promise<IdentityClaims>,
  ): ((subject: Subject) => Subject) =>
  (subject) => ({
    ...subject,
    verifier: { ...subject.verifier, verify: (token, use) => verify(subject, token, use) },
  });

/** Returns a sabotage that replaces the answer of the issuer about a user. */
export const replaceUserInfo =
  <Subject extends { readonly verifier: TokenVerifier }>(
    read: (subject: Subject, ...parameters: Parameters<TokenVerifier['readUserInfo']>) => Promise<ReportedEmail | null>,
  ): ((subject: Subject) => Subject) =>
  (subject) => ({
    ...subject,
    verifier: { ...subject.verifier, readUserInfo: (token, user) => read(subject, token, user) },
  });

/** Returns a sabotage that changes the result for a valid token. */
export const changeIdentity = <Subject extends WithVerifier>(
  change: (identity: IdentityClaims, claims: TokenClaims, subject: Subject) => Partial<IdentityClaims>,
) =>
  replaceVerify<Subject>(async (subject, token, use) => {
    const identity = await subject.verifier.verify(token, use);
    return { ...identity, ...change(identity, claimsOf(token), subject) };
  });

/** Returns a sabotage that caches the results for valid tokens under a name. */
export const cacheByName = <Subject extends WithVerifier>(nameOf: (token: string) => string) => {
  const verifiedIdentities = new Map<string, IdentityClaims>();
  return replaceVerify<Subject>(async ({ verifier }, token, use) => {
    const identity = verifiedIdentities.get(nameOf(token)) ?? (await verifier.verify(token, use));
    verifiedIdentities.set(nameOf(token), identity);
    return identity;
  });
};

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string): TokenClaims =>
  JSON.parse(Buffer.from(payloadOf(token), 'base64url').toString()) as TokenClaims;

export const payloadOf = (token: string): string => token.split('.')[1] ?? '';
