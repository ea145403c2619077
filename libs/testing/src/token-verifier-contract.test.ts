import {
  keylessTokenVerifierContract,
  proofsOf,
  tokenVerifierContract,
  type KeylessTokenVerifierSubject,
  type Sabotages,
  type TokenClaims,
  type TokenVerifierSubject,
} from '@portico/contracts';
import { isPorticoError, PorticoError, type IdentityClaims } from '@portico/domain';
import { createJwtVerifier } from '@portico/identity';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { changeIdentity, claimsOf, payloadOf, cacheByName, replaceVerify } from '../test/breaking-verifier.ts';
import { createTestIssuer, testAudience, testIssuer } from './test-issuer.ts';

const createSubject = (): TokenVerifierSubject => {
  const clock = createMemoryClock();
  const issuer = createTestIssuer({ clock });
  return {
    verifier: { verify: (token) => issuer.verify(token) },
    issuer: testIssuer,
    audience: testAudience,
    clock,
    mint: async (claims) => issuer.mintClaims(claims),
    forge: async (claims) => forge(issuer.mintClaims(claims)),
  };
};

/** Returns a token with the same claims but an invalid signature. */
const forge = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`;

/** Returns a sabotage that verifies the token with some of its claims corrected, so that faults in them are missed. */
const missFaults = (correctClaims: (claims: TokenClaims, subject: TokenVerifierSubject) => TokenClaims) =>
  replaceVerify<TokenVerifierSubject>(async (subject, token) => {
    if (token.split('.').length !== 3) return subject.verifier.verify(token);
    let claims: TokenClaims;
    try {
      claims = claimsOf(token);
    } catch {
      return subject.verifier.verify(token);
    }
    return subject.verifier.verify(await subject.mint({ ...claims, ...correctClaims(claims, subject) }));
  });

/** Returns a sabotage that rejects some tokens that the reference accepts. */
const rejectIf = (isRejected: (claims: TokenClaims, subject: TokenVerifierSubject) => boolean) =>
  changeIdentity<TokenVerifierSubject>((identity, claims, subject) => {
    if (isRejected(claims, subject)) throw new PorticoError('invalid_token');
    return identity;
  });

const cacheRejections = () => {
  const rejectedTokens = new Set<string>();
  return replaceVerify<TokenVerifierSubject>(async ({ verifier }, token) => {
    if (rejectedTokens.has(token)) throw new PorticoError('invalid_token');
    return verifier.verify(token).catch((error: unknown) => {
      rejectedTokens.add(token);
      throw error;
    });
  });
};

/** Returns a sabotage that gives the first result to all concurrent callers. */
const shareConcurrentResults = () => {
  let pendingResult: Promise<IdentityClaims> | null = null;
  return replaceVerify<TokenVerifierSubject>(({ verifier }, token) => {
    pendingResult ??= verifier.verify(token).finally(() => {
      pendingResult = null;
    });
    return pendingResult;
  });
};

const secondsOf = ({ clock }: TokenVerifierSubject): number => clock.now() / 1_000;

const sabotages: Sabotages<typeof tokenVerifierContract, TokenVerifierSubject> = {
  'the subject of a valid token is returned without normalization': changeIdentity(({ uid }) => ({ uid: uid.trim() })),
  'the issuer of a valid token is returned without normalization': changeIdentity(({ issuer }) => ({
    issuer: `${issuer}/`,
  })),
  'a subject has 1 to 128 characters': rejectIf(({ sub }) => typeof sub === 'string' && sub.length > 128),
  'a subject that cannot be stored is invalid': missFaults(({ sub }) =>
    typeof sub === 'string' ? { sub: sub.replaceAll('\0', '').toWellFormed() } : {},
  ),
  'an email is returned exactly as in the token': changeIdentity((_, { email }) => ({
    email: typeof email === 'string' ? email.trim() : null,
  })),
  'a token may have no email, and an email that is not a string makes it invalid': missFaults(({ email }) =>
    typeof email === 'string' ? {} : { email: null },
  ),
  'an email is verified only if the token says so': changeIdentity((_, claims) => ({
    emailVerified: Boolean(claims['email_verified']),
  })),
  'other claims of a token are not returned': changeIdentity((_, { role }) =>
    role === undefined ? {} : ({ role } as Partial<IdentityClaims>),
  ),
  'a string that is not a token is invalid': replaceVerify(({ verifier }, token) => verifier.verify(token.trim())),
  'a token longer than 8 KiB is invalid, regardless of its claims': missFaults(() => ({ padding: '' })),
  'a forged token is invalid': missFaults(() => ({})),
  'a forged token is invalid even after a genuine token with the same claims': cacheByName(payloadOf),
  'a token from a different issuer is invalid, however similar the name': missFaults(({ iss }, { issuer }) =>
    typeof iss === 'string' && iss.replace(/\/$/, '') === issuer ? { iss: issuer } : {},
  ),
  'a token for a different audience is invalid': missFaults(({ aud }, { audience }) =>
    JSON.stringify(aud ?? '').includes(audience) ? { aud: audience } : {},
  ),
  'a token for several audiences is valid only if it was issued to this one': missFaults(({ aud }, { audience }) =>
    Array.isArray(aud) && aud.includes(audience) ? { aud: audience } : {},
  ),
  'a token must have an expiry that is a number': missFaults(({ exp }) =>
    typeof exp === 'string' ? { exp: +exp } : {},
  ),
  'a token is valid until 60 seconds after its expiry, but no longer': rejectIf(
    ({ exp }, subject) => Number(exp) <= secondsOf(subject),
  ),
  'a token is valid from 60 seconds before its nbf, but no earlier': missFaults(({ nbf }) =>
    typeof nbf === 'number' ? { nbf: nbf - 1 } : {},
  ),
  'a token issued more than 60 seconds in the future is invalid': missFaults(({ iat }) =>
    typeof iat === 'number' ? { iat: iat - 1 } : {},
  ),
  'a token may have any lifetime': rejectIf(({ iat, exp }) => Number(exp) - Number(iat) > 86_400),
  'a token that was valid is validated again each time': cacheByName((token) => token),
  'a token that was presented too early becomes valid later': cacheRejections(),
  'tokens that are verified concurrently are not mixed up': shareConcurrentResults(),
};

for (const [name, run] of proofsOf(tokenVerifierContract, sabotages, createSubject)) test(name, run);

const createKeyless = (): KeylessTokenVerifierSubject => {
  const clock = createMemoryClock();
  const rejectUnavailable = async () => Promise.reject(new PorticoError('identity_unavailable'));
  const keys = { getCurrent: rejectUnavailable, findNewer: async () => null };
  const verifier = createJwtVerifier({ issuer: testIssuer, audience: testAudience, clock, keys });
  const mint = async (claims: TokenClaims) => createTestIssuer({ clock }).mintClaims(claims);
  return { verifier, issuer: testIssuer, audience: testAudience, clock, mint };
};

const replaceError = (from: 'invalid_token' | 'identity_unavailable', to: 'invalid_token' | 'identity_unavailable') =>
  replaceVerify<KeylessTokenVerifierSubject>(({ verifier }, token) =>
    verifier.verify(token).catch((error: unknown) => {
      throw isPorticoError(error, from) ? new PorticoError(to) : error;
    }),
  );

const keylessSabotages = {
  'verifying a token throws identity_unavailable each time while no key is available': replaceError(
    'identity_unavailable',
    'invalid_token',
  ),
  'a string that is not a token is invalid even without keys': replaceError('invalid_token', 'identity_unavailable'),
} satisfies Sabotages<typeof keylessTokenVerifierContract, KeylessTokenVerifierSubject>;

for (const [name, run] of proofsOf(keylessTokenVerifierContract, keylessSabotages, createKeyless)) test(name, run);
