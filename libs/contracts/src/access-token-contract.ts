import { ok, strictEqual } from 'node:assert/strict';
import type { TokenUse } from '@portico/domain';
import { assertRefused } from './assertions.ts';
import type { Contract } from './contract.ts';
import type { TokenClaims, TokenVerifierSubject } from './token-verifier-contract.ts';

/** A verifier that takes access tokens too, where they are asked for. */
export interface AccessTokenSubject extends TokenVerifierSubject {
  /** The audiences of which an access token names one; neither is that of identity tokens. */
  readonly accessAudiences: readonly [string, string];
  /** An access token by its type, `at+jwt`, with exactly these claims, from the issuer. */
  mintAccess(claims: TokenClaims): Promise<string>;
}

const here = 'identity or access';

const claimsFor = ({ issuer, clock }: AccessTokenSubject, aud: TokenClaims[string], more: TokenClaims = {}) => ({
  iss: issuer,
  sub: 'alice',
  exp: Math.floor(clock.now() / 1_000) + 3_600,
  aud,
  ...more,
});

const assertTaken = async ({ verifier }: AccessTokenSubject, token: string, use: TokenUse): Promise<void> => {
  const [outcome] = await Promise.allSettled([verifier.verify(token, use)]);
  ok(outcome.status === 'fulfilled', `refused for the use ${use}`);
  strictEqual(outcome.value.uid, 'alice');
};

const assertNotTaken = async ({ verifier }: AccessTokenSubject, token: string, use?: TokenUse): Promise<void> =>
  assertRefused(verifier.verify(token, use), 'invalid_token');

/** An access token of either type that providers give it. */
const accessTokens = async (subject: AccessTokenSubject): Promise<readonly string[]> => {
  const claims = claimsFor(subject, subject.accessAudiences[0]);
  return [await subject.mintAccess(claims), await subject.mint(claims)];
};

export const accessTokenContract = {
  'an access token is valid only where access tokens are taken': async (subject) => {
    for (const token of await accessTokens(subject)) {
      await assertNotTaken(subject, token);
      await assertNotTaken(subject, token, 'identity');
      await assertTaken(subject, token, here);
    }
  },
  'an identity token is valid wherever a token is taken': async (subject) => {
    const token = await subject.mint(claimsFor(subject, subject.audience));
    await assertTaken(subject, token, here);
    await assertTaken(subject, token, 'identity');
  },
  'a token that was valid for one use is judged anew for another': async (subject) => {
    for (const token of await accessTokens(subject)) {
      for (let again = 0; again < 3; again += 1) {
        await assertTaken(subject, token, here);
        await assertNotTaken(subject, token, 'identity');
        await assertNotTaken(subject, token);
      }
    }
  },
  'an access token names one of our audiences, whoever the others and its client are': async (subject) => {
    const [first, second] = subject.accessAudiences;
    for (const aud of [first, second, [second], ['another', first], [first, 'another', second]]) {
      await assertTaken(subject, await subject.mintAccess(claimsFor(subject, aud, { azp: 'a client' })), here);
    }
    for (const aud of [null, '', [], 'another', `${first}/`, first.toUpperCase(), [[first]], { [first]: true }, true]) {
      await assertNotTaken(subject, await subject.mintAccess(claimsFor(subject, aud)), here);
    }
  },
  'the type of an access token keeps it from being an identity token': async (subject) => {
    const token = await subject.mintAccess(claimsFor(subject, subject.audience));
    for (const use of ['identity', here] as const) await assertNotTaken(subject, token, use);
  },
  'an access token that is bound to a key is invalid, because no proof of the key is asked for': async (subject) => {
    const claims = claimsFor(subject, subject.accessAudiences[0], { cnf: { jkt: 'a thumbprint' } });
    for (const token of [await subject.mintAccess(claims), await subject.mint(claims)]) {
      await assertNotTaken(subject, token, here);
    }
  },
} satisfies Contract<AccessTokenSubject>;
