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

type Sabotage = (subject: TokenVerifierSubject) => TokenVerifierSubject;

const claimsOf = (token: string): TokenClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as TokenClaims;

const answering =
  (change: (identity: IdentityClaims, claims: TokenClaims) => Partial<IdentityClaims>): Sabotage =>
  (subject) => ({
    ...subject,
    verifier: {
      async verify(token) {
        const identity = await subject.verifier.verify(token);
        return { ...identity, ...change(identity, claimsOf(token)) };
      },
    },
  });

/** Judges the token with some of its claims corrected, so that their faults go unnoticed. */
const overlooking =
  (better: (claims: TokenClaims, subject: TokenVerifierSubject) => TokenClaims): Sabotage =>
  (subject) => ({
    ...subject,
    verifier: {
      async verify(token) {
        if (token.split('.').length !== 3) return subject.verifier.verify(token);
        let claims: TokenClaims;
        try {
          claims = claimsOf(token);
        } catch {
          return subject.verifier.verify(token);
        }
        return subject.verifier.verify(await subject.mint({ ...claims, ...better(claims, subject) }));
      },
    },
  });

/** Refuses what the reference accepts. */
const refusing =
  (isRefused: (claims: TokenClaims, subject: TokenVerifierSubject) => boolean): Sabotage =>
  (subject) => ({
    ...subject,
    verifier: {
      async verify(token) {
        const identity = await subject.verifier.verify(token);
        if (isRefused(claimsOf(token), subject)) throw new PorticoError('invalid_token');
        return identity;
      },
    },
  });

const rewriting =
  (rewrite: (token: string) => string): Sabotage =>
  (subject) => ({ ...subject, verifier: { verify: (token) => subject.verifier.verify(rewrite(token)) } });

const secondsOf = ({ clock }: TokenVerifierSubject): number => clock.now() / 1_000;

const sabotages: Sabotages<typeof tokenVerifierContract, TokenVerifierSubject> = {
  'a good token says who its subject is, exactly as it spells him': answering(({ uid }) => ({ uid: uid.trim() })),
  'a good token says which issuer it is of, to the letter': answering(({ issuer }) => ({ issuer: `${issuer}/` })),
  'a subject has 1 to 128 characters': refusing(({ sub }) => typeof sub === 'string' && sub.length > 128),
  'a subject that no store could keep is invalid': overlooking(({ sub }) =>
    typeof sub === 'string' ? { sub: sub.replaceAll('\0', '').toWellFormed() } : {},
  ),
  'an e-mail is trimmed and in lower case': answering((_, { email }) => ({
    email: typeof email === 'string' ? email.trim() : null,
  })),
  'a token without an e-mail has none, and one that is no text is invalid': overlooking(({ email }) =>
    typeof email === 'string' ? {} : { email: null },
  ),
  'an e-mail is verified only where the token says so': answering((_, claims) => ({
    emailVerified: Boolean(claims['email_verified']),
  })),
  'the other claims of a token do not leave the verifier': answering((_, { role }) =>
    role === undefined ? {} : ({ role } as Partial<IdentityClaims>),
  ),
  'what is no token is invalid': rewriting((token) => token.trim()),
  'a token longer than 8 KiB is invalid, whatever it says': overlooking(() => ({ padding: '' })),
  'a token that another made is invalid': overlooking(() => ({})),
  'it stays invalid after the issuer made one of the same claims': (subject) => {
    const good = new Map<string, IdentityClaims>();
    return {
      ...subject,
      verifier: {
        async verify(token) {
          const payload = token.split('.')[1] ?? '';
          const identity = good.get(payload) ?? (await subject.verifier.verify(token));
          good.set(payload, identity);
          return identity;
        },
      },
    };
  },
  'a token of another issuer is invalid, however near its name is': overlooking(({ iss }, { issuer }) =>
    typeof iss === 'string' && iss.replace(/\/$/, '') === issuer ? { iss: issuer } : {},
  ),
  'a token for another audience is invalid': overlooking(({ aud }, { audience }) =>
    JSON.stringify(aud ?? '').includes(audience) ? { aud: audience } : {},
  ),
  'a token for several audiences is good only where it was issued to this one': overlooking(({ aud }, { audience }) =>
    Array.isArray(aud) && aud.includes(audience) ? { aud: audience } : {},
  ),
  'a token says when it ends, as a number': overlooking(({ exp }) => (typeof exp === 'string' ? { exp: +exp } : {})),
  'a token is good until 60 seconds after its end, and no longer': refusing(
    ({ exp }, subject) => Number(exp) <= secondsOf(subject),
  ),
  'a token is not good earlier than 60 seconds before it begins': overlooking(({ nbf }) =>
    typeof nbf === 'number' ? { nbf: nbf - 1 } : {},
  ),
  'a token was not issued later than in 60 seconds': overlooking(({ iat }) =>
    typeof iat === 'number' ? { iat: iat - 1 } : {},
  ),
  'a token is issued for as long as its issuer likes': refusing(({ iat, exp }) => Number(exp) - Number(iat) > 86_400),
  'a token that was found good is judged anew each time': (subject) => {
    const found = new Map<string, Promise<IdentityClaims>>();
    return {
      ...subject,
      verifier: {
        verify(token) {
          const identity = found.get(token) ?? subject.verifier.verify(token);
          found.set(token, identity);
          return identity;
        },
      },
    };
  },
  'a token that came too early is good later': (subject) => {
    const refused = new Set<string>();
    return {
      ...subject,
      verifier: {
        async verify(token) {
          if (refused.has(token)) throw new PorticoError('invalid_token');
          return subject.verifier.verify(token).catch((error: unknown) => {
            refused.add(token);
            throw error;
          });
        },
      },
    };
  },
  'tokens that are judged at once are not mixed up': (subject) => {
    let running: Promise<IdentityClaims> | null = null;
    return {
      ...subject,
      verifier: {
        verify(token) {
          running ??= subject.verifier.verify(token).finally(() => {
            running = null;
          });
          return running;
        },
      },
    };
  },
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

const instead =
  (from: 'invalid_token' | 'identity_unavailable', to: 'invalid_token' | 'identity_unavailable') =>
  (subject: KeylessTokenVerifierSubject): KeylessTokenVerifierSubject => ({
    ...subject,
    verifier: {
      verify: (token) =>
        subject.verifier.verify(token).catch((error: unknown) => {
          throw isPorticoError(error, from) ? new PorticoError(to) : error;
        }),
    },
  });

const keylessSabotages = {
  'a token that no key is at hand for raises identity_unavailable, each time': instead(
    'identity_unavailable',
    'invalid_token',
  ),
  'what is no token at all is invalid, keys or not': instead('invalid_token', 'identity_unavailable'),
} satisfies Sabotages<typeof keylessTokenVerifierContract, KeylessTokenVerifierSubject>;

for (const [name, run] of proofsOf(keylessTokenVerifierContract, keylessSabotages, createKeyless)) test(name, run);
