import type { TokenClaims } from '@portico/contracts';
import type { IdentityClaims, TokenUse, TokenVerifier } from '@portico/domain';

interface Verified {
  readonly verifier: TokenVerifier;
}

/** Another verification stands in the place of the right one. */
export const verifying =
  <Subject extends Verified>(
    verify: (subject: Subject, token: string, use?: TokenUse) => Promise<IdentityClaims>,
  ): ((subject: Subject) => Subject) =>
  (subject) => ({ ...subject, verifier: { verify: (token, use) => verify(subject, token, use) } });

/** The answer to a valid token is altered. */
export const answering = <Subject extends Verified>(
  change: (identity: IdentityClaims, claims: TokenClaims, subject: Subject) => Partial<IdentityClaims>,
) =>
  verifying<Subject>(async (subject, token, use) => {
    const identity = await subject.verifier.verify(token, use);
    return { ...identity, ...change(identity, claimsOf(token), subject) };
  });

/** Valid tokens are remembered under a name. */
export const remembering = <Subject extends Verified>(nameOf: (token: string) => string) => {
  const valid = new Map<string, IdentityClaims>();
  return verifying<Subject>(async ({ verifier }, token, use) => {
    const identity = valid.get(nameOf(token)) ?? (await verifier.verify(token, use));
    valid.set(nameOf(token), identity);
    return identity;
  });
};

/** The claims of a token, judged by nobody. */
export const claimsOf = (token: string): TokenClaims =>
  JSON.parse(Buffer.from(payloadOf(token), 'base64url').toString()) as TokenClaims;

export const payloadOf = (token: string): string => token.split('.')[1] ?? '';
