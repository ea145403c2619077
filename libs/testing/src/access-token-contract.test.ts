import { accessTokenContract, proofsOf, type AccessTokenSubject, type Sabotages } from '@portico/contracts';
import { PorticoError } from '@portico/domain';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { claimsOf, cacheByName, changeIdentity, replaceUserInfo, replaceVerify } from '../test/breaking-verifier.ts';
import { createTestIssuer, testAccessAudiences, testAudience, testIssuer } from './test-issuer.ts';

const createSubject = (): AccessTokenSubject => {
  const clock = createMemoryClock();
  const issuer = createTestIssuer({ clock });
  return {
    verifier: issuer,
    issuer: testIssuer,
    audience: testAudience,
    accessAudiences: testAccessAudiences,
    clock,
    mint: async (claims) => issuer.mintClaims(claims),
    mintAccessToken: async (claims) => issuer.mintClaims(claims, 'at+jwt'),
    report: (uid, email) => issuer.report(uid, email),
    forge: () => Promise.reject(new Error('Not needed')),
  };
};

type Sabotage = (subject: AccessTokenSubject) => AccessTokenSubject;

/** Returns a sabotage that verifies the token with corrected claims, so that faults in the claims are missed. */
const missFaults = (correctClaims: (subject: AccessTokenSubject) => object): Sabotage =>
  replaceVerify(async (subject, token, use) =>
    subject.verifier.verify(await subject.mintAccessToken({ ...claimsOf(token), ...correctClaims(subject) }), use),
  );

const sabotages: Sabotages<typeof accessTokenContract, AccessTokenSubject> = {
  'an access token is valid only where access tokens are accepted': replaceVerify(({ verifier }, token) =>
    verifier.verify(token, 'identity or access'),
  ),
  'an identity token is valid for every use': replaceVerify(async ({ verifier }, token, use) => {
    if (use !== 'identity') throw new PorticoError('invalid_token');
    return verifier.verify(token, use);
  }),
  'only a token that is verified for a use that accepts access tokens, and can be one, is marked as an access token':
    changeIdentity(() => ({ isAccessToken: true })),
  'the email address that the issuer reports for the user of an access token is returned': replaceUserInfo(
    async ({ verifier }, token, user) => verifier.readUserInfo(token, { ...user, uid: 'bob' }),
  ),
  'nothing is returned if the issuer reports nothing about the user': replaceUserInfo(async () => ({
    email: null,
    emailVerified: false,
  })),
  'nothing is returned for a user of a different issuer': replaceUserInfo(async ({ verifier, issuer }, token, user) =>
    verifier.readUserInfo(token, { ...user, issuer }),
  ),
  'a token that was valid for one use is validated again for a different use': cacheByName((token) => token),
  'an access token is valid if it names one of our audiences, regardless of its other audiences and its client':
    missFaults(({ accessAudiences: [aud] }) => ({ aud })),
  'a token with the type of an access token is not valid as an identity token': replaceVerify(
    async (subject, token, use) => subject.verifier.verify(await subject.mint(claimsOf(token)), use),
  ),
  'an access token that is bound to a key is invalid, because no proof of possession is required': replaceVerify(
    async (subject, token, use) => {
      const claims = Object.entries(claimsOf(token)).filter(([name]) => name !== 'cnf');
      return subject.verifier.verify(await subject.mint(Object.fromEntries(claims)), use);
    },
  ),
};

for (const [name, run] of proofsOf(accessTokenContract, sabotages, createSubject)) test(name, run);
