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
import { answering, claimsOf, payloadOf, remembering, verifying } from '../test/breaking-verifier.ts';
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
    forge: async (claims) => forged(issuer.mintClaims(claims)),
  };
};

/** The same claims, unsigned. */
const forged = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`;

/** Judges the token with some of its claims corrected, so that their faults are missed. */
const overlooking = (better: (claims: TokenClaims, subject: TokenVerifierSubject) => TokenClaims) =>
  verifying<TokenVerifierSubject>(async (subject, token) => {
    if (token.split('.').length !== 3) return subject.verifier.verify(token);
    let claims: TokenClaims;
    try {
      claims = claimsOf(token);
    } catch {
      return subject.verifier.verify(token);
    }
    return subject.verifier.verify(await subject.mint({ ...claims, ...better(claims, subject) }));
  });

/** Refuses what the reference accepts. */
const refusing = (isRefused: (claims: TokenClaims, subject: TokenVerifierSubject) => boolean) =>
  answering<TokenVerifierSubject>((identity, claims, subject) => {
    if (isRefused(claims, subject)) throw new PorticoError('invalid_token');
    return identity;
  });

const rememberingRefusals = () => {
  const refused = new Set<string>();
  return verifying<TokenVerifierSubject>(async ({ verifier }, token) => {
    if (refused.has(token)) throw new PorticoError('invalid_token');
    return verifier.verify(token).catch((error: unknown) => {
      refused.add(token);
      throw error;
    });
  });
};

/** Gives all that ask at once the first answer. */
const inOneRun = () => {
  let running: Promise<IdentityClaims> | null = null;
  return verifying<TokenVerifierSubject>(({ verifier }, token) => {
    running ??= verifier.verify(token).finally(() => {
      running = null;
    });
    return running;
  });
};

const secondsOf = ({ clock }: TokenVerifierSubject): number => clock.now() / 1_000;

const sabotages: Sabotages<typeof tokenVerifierContract, TokenVerifierSubject> = {
  'a valid token names its subject, exactly as spelled': answering(({ uid }) => ({ uid: uid.trim() })),
  'a valid token names its issuer, exactly as spelled': answering(({ issuer }) => ({ issuer: `${issuer}/` })),
  'a subject has 1 to 128 characters': refusing(({ sub }) => typeof sub === 'string' && sub.length > 128),
  'a subject that cannot be stored is invalid': overlooking(({ sub }) =>
    typeof sub === 'string' ? { sub: sub.replaceAll('\0', '').toWellFormed() } : {},
  ),
  'an e-mail is returned as it is claimed': answering((_, { email }) => ({
    email: typeof email === 'string' ? email.trim() : null,
  })),
  'a token may lack an e-mail, and one that is not a string is invalid': overlooking(({ email }) =>
    typeof email === 'string' ? {} : { email: null },
  ),
  'an e-mail is verified only if the token says so': answering((_, claims) => ({
    emailVerified: Boolean(claims['email_verified']),
  })),
  'other claims of a token do not leave the verifier': answering((_, { role }) =>
    role === undefined ? {} : ({ role } as Partial<IdentityClaims>),
  ),
  'a text that is no token is invalid': verifying(({ verifier }, token) => verifier.verify(token.trim())),
  'a token longer than 8 KiB is invalid, whatever it says': overlooking(() => ({ padding: '' })),
  'a forged token is invalid': overlooking(() => ({})),
  'a forged token stays invalid after a genuine one with the same claims': remembering(payloadOf),
  'a token of another issuer is invalid, however similar its name': overlooking(({ iss }, { issuer }) =>
    typeof iss === 'string' && iss.replace(/\/$/, '') === issuer ? { iss: issuer } : {},
  ),
  'a token for another audience is invalid': overlooking(({ aud }, { audience }) =>
    JSON.stringify(aud ?? '').includes(audience) ? { aud: audience } : {},
  ),
  'a token for several audiences is valid only if it was issued to this one': overlooking(({ aud }, { audience }) =>
    Array.isArray(aud) && aud.includes(audience) ? { aud: audience } : {},
  ),
  'a token has an expiry, as a number': overlooking(({ exp }) => (typeof exp === 'string' ? { exp: +exp } : {})),
  'a token is valid until 60 seconds after its expiry, and no longer': refusing(
    ({ exp }, subject) => Number(exp) <= secondsOf(subject),
  ),
  'a token is valid from 60 seconds before its nbf, and no earlier': overlooking(({ nbf }) =>
    typeof nbf === 'number' ? { nbf: nbf - 1 } : {},
  ),
  'a token issued more than 60 seconds in the future is invalid': overlooking(({ iat }) =>
    typeof iat === 'number' ? { iat: iat - 1 } : {},
  ),
  'a token may have any lifetime': refusing(({ iat, exp }) => Number(exp) - Number(iat) > 86_400),
  'a token that was valid is judged again each time': remembering((token) => token),
  'a token that came too early is valid later': rememberingRefusals(),
  'tokens that are verified at once are not mixed up': inOneRun(),
};

for (const [name, run] of proofsOf(tokenVerifierContract, sabotages, createSubject)) test(name, run);

const createKeyless = (): KeylessTokenVerifierSubject => {
  const clock = createMemoryClock();
  const unavailable = async () => Promise.reject(new PorticoError('identity_unavailable'));
  const keys = { current: unavailable, later: async () => null };
  const verifier = createJwtVerifier({ issuer: testIssuer, audience: testAudience, clock, keys });
  const mint = async (claims: TokenClaims) => createTestIssuer({ clock }).mintClaims(claims);
  return { verifier, issuer: testIssuer, audience: testAudience, clock, mint };
};

const instead = (from: 'invalid_token' | 'identity_unavailable', to: 'invalid_token' | 'identity_unavailable') =>
  verifying<KeylessTokenVerifierSubject>(({ verifier }, token) =>
    verifier.verify(token).catch((error: unknown) => {
      throw isPorticoError(error, from) ? new PorticoError(to) : error;
    }),
  );

const keylessSabotages = {
  'a token throws identity_unavailable each time while no key is available': instead(
    'identity_unavailable',
    'invalid_token',
  ),
  'a text that is no token at all is invalid even without keys': instead('invalid_token', 'identity_unavailable'),
} satisfies Sabotages<typeof keylessTokenVerifierContract, KeylessTokenVerifierSubject>;

for (const [name, run] of proofsOf(keylessTokenVerifierContract, keylessSabotages, createKeyless)) test(name, run);
