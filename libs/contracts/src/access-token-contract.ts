import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { ReportedEmail, TokenUse, TokenVerifier } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import type { TokenClaims, TokenVerifierSubject } from './token-verifier-contract.ts';

/** A verifier that also accepts access tokens, for the uses that allow them. */
export interface AccessTokenSubject extends TokenVerifierSubject {
  readonly verifier: TokenVerifier;
  /**
   * The accepted audiences of access tokens; each token names one of them. Neither is the audience of identity tokens.
   */
  readonly accessAudiences: readonly [string, string];
  /** Returns an access token from the issuer with the type `at+jwt` and exactly these claims. */
  mintAccessToken(claims: TokenClaims): Promise<string>;
  /** Sets the email address that the issuer reports for a user to the bearer of an access token; null for none. */
  report(uid: string, email: ReportedEmail | null): void;
}

const identityOrAccess = 'identity or access';

const claimsFor = ({ issuer, clock }: AccessTokenSubject, aud: TokenClaims[string], extraClaims: TokenClaims = {}) => ({
  iss: issuer,
  sub: 'alice',
  exp: Math.floor(clock.now() / 1_000) + 3_600,
  aud,
  ...extraClaims,
});

const assertAccepted = async ({ verifier }: AccessTokenSubject, token: string, use: TokenUse): Promise<void> => {
  const [outcome] = await Promise.allSettled([verifier.verify(token, use)]);
  ok(outcome.status === 'fulfilled', `rejected for the use ${use}`);
  strictEqual(outcome.value.uid, 'alice');
};

const assertRejected = async ({ verifier }: AccessTokenSubject, token: string, use?: TokenUse): Promise<void> =>
  assertRejects(verifier.verify(token, use), 'invalid_token');

/** Returns one access token of each type that providers use. */
const issueAccessTokens = async (subject: AccessTokenSubject): Promise<readonly string[]> => {
  const claims = claimsFor(subject, subject.accessAudiences[0]);
  return [await subject.mintAccessToken(claims), await subject.mint(claims)];
};

const readUserInfo = async (subject: AccessTokenSubject, uid: string, issuer = subject.issuer) => {
  const token = await subject.mintAccessToken(claimsFor(subject, subject.accessAudiences[0], { sub: uid }));
  return subject.verifier.readUserInfo(token, { issuer, uid });
};

export const accessTokenContract = {
  'an access token is valid only where access tokens are accepted': async (subject) => {
    for (const token of await issueAccessTokens(subject)) {
      await assertRejected(subject, token);
      await assertRejected(subject, token, 'identity');
      await assertAccepted(subject, token, identityOrAccess);
    }
  },
  'an identity token is valid for every use': async (subject) => {
    const token = await subject.mint(claimsFor(subject, subject.audience));
    await assertAccepted(subject, token, identityOrAccess);
    await assertAccepted(subject, token, 'identity');
  },
  'only a token that is verified for a use that accepts access tokens, and can be one, is marked as an access token':
    async (subject) => {
      const isAccessToken = async (token: string, use?: TokenUse) =>
        (await subject.verifier.verify(token, use)).isAccessToken;
      for (const token of await issueAccessTokens(subject))
        strictEqual(await isAccessToken(token, identityOrAccess), true);
      const identityToken = await subject.mint(claimsFor(subject, subject.audience));
      for (const use of [identityOrAccess, 'identity', undefined] as const)
        strictEqual(await isAccessToken(identityToken, use), false);
    },
  'the email address that the issuer reports for the user of an access token is returned': async (subject) => {
    for (const emailVerified of [true, false]) {
      const reportedEmail = { email: ` Alice@${emailVerified}.EXAMPLE`, emailVerified };
      const uid = `alice-${emailVerified}`;
      subject.report(uid, reportedEmail);
      subject.report('bob', { email: 'bob@example.com', emailVerified: true });
      deepStrictEqual(await readUserInfo(subject, uid), reportedEmail);
    }
  },
  'nothing is returned if the issuer reports nothing about the user': async (subject) => {
    subject.report('alice', null);
    strictEqual(await readUserInfo(subject, 'alice'), null);
  },
  'nothing is returned for a user of a different issuer': async (subject) => {
    subject.report('alice', { email: 'alice@example.com', emailVerified: true });
    strictEqual(await readUserInfo(subject, 'alice', 'https://accounts.example.org'), null);
  },
  'a token that was valid for one use is validated again for a different use': async (subject) => {
    for (const token of await issueAccessTokens(subject)) {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await assertAccepted(subject, token, identityOrAccess);
        await assertRejected(subject, token, 'identity');
        await assertRejected(subject, token);
      }
    }
  },
  'an access token is valid if it names one of our audiences, regardless of its other audiences and its client': async (
    subject,
  ) => {
    const [first, second] = subject.accessAudiences;
    for (const aud of [first, second, [second], ['another', first], [first, 'another', second]]) {
      await assertAccepted(
        subject,
        await subject.mintAccessToken(claimsFor(subject, aud, { azp: 'a client' })),
        identityOrAccess,
      );
    }
    for (const aud of [null, '', [], 'another', `${first}/`, first.toUpperCase(), [[first]], { [first]: true }, true]) {
      await assertRejected(subject, await subject.mintAccessToken(claimsFor(subject, aud)), identityOrAccess);
    }
  },
  'a token with the type of an access token is not valid as an identity token': async (subject) => {
    const token = await subject.mintAccessToken(claimsFor(subject, subject.audience));
    for (const use of ['identity', identityOrAccess] as const) await assertRejected(subject, token, use);
  },
  'an access token that is bound to a key is invalid, because no proof of possession is required': async (subject) => {
    const claims = claimsFor(subject, subject.accessAudiences[0], { cnf: { jkt: 'a thumbprint' } });
    for (const token of [await subject.mintAccessToken(claims), await subject.mint(claims)]) {
      await assertRejected(subject, token, identityOrAccess);
    }
  },
} satisfies Contract<AccessTokenSubject>;
