import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Clock, IdentityClaims, Json, TokenVerifier } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';

/** A token's claims by name, as in the token (RFC 7519; OpenID Connect Core 1.0, section 2). */
export type TokenClaims = Record<string, Json>;

/** A verifier, and an issuer of the tokens that it validates. */
export interface TokenVerifierSubject {
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  /** The expected `iss`. */
  readonly issuer: string;
  /** The expected `aud`. */
  readonly audience: string;
  /** The verifier's clock, which does not move unless it is advanced. */
  readonly clock: Pick<Clock, 'now'> & { advance(milliseconds: number): void };
  /** Returns a token from the issuer with exactly these claims. */
  mint(claims: TokenClaims): Promise<string>;
  /** Returns a token with these claims from a forger that poses as the issuer. */
  forge(claims: TokenClaims): Promise<string>;
}

/** A verifier that has no key available and therefore cannot validate any token. */
export type KeylessTokenVerifierSubject = Omit<TokenVerifierSubject, 'forge'>;

const skewSeconds = 60;
const day = 86_400;
const tokenMaxLength = 8_192;

type MintingSubject = Omit<TokenVerifierSubject, 'forge'>;

/** Returns the current time in whole seconds since 1970, the unit used in tokens. */
const nowOf = ({ clock }: MintingSubject): number => Math.floor(clock.now() / 1_000);

/** Returns claims that are valid for an hour. */
const createValidClaims = (subject: MintingSubject): TokenClaims => ({
  iss: subject.issuer,
  aud: subject.audience,
  sub: 'alice',
  iat: nowOf(subject),
  exp: nowOf(subject) + 3_600,
});

/** Returns valid claims with these changes. `undefined` removes a claim. */
const createClaimsWith = (subject: MintingSubject, changes: Record<string, Json | undefined>): TokenClaims =>
  Object.fromEntries(
    Object.entries({ ...createValidClaims(subject), ...changes }).filter((entry): entry is [string, Json] => {
      const [, value] = entry;
      return value !== undefined;
    }),
  );

const verifyWith = async (
  subject: TokenVerifierSubject,
  changes: Record<string, Json | undefined>,
): Promise<IdentityClaims> => subject.verifier.verify(await subject.mint(createClaimsWith(subject, changes)));

const assertValid = async (subject: TokenVerifierSubject, changes: Record<string, Json | undefined>): Promise<void> => {
  const [outcome] = await Promise.allSettled([verifyWith(subject, changes)]);
  ok(outcome.status === 'fulfilled', `rejected although it is valid: ${JSON.stringify(changes)}`);
};

const assertIdentity = async ({ verifier }: TokenVerifierSubject, token: string, expected: IdentityClaims) => {
  const [outcome] = await Promise.allSettled([verifier.verify(token)]);
  ok(outcome.status === 'fulfilled', 'rejected although it is valid');
  deepStrictEqual(outcome.value, expected);
};

const assertInvalid = async (subject: TokenVerifierSubject, changes: Record<string, Json | undefined>) =>
  assertRejects(verifyWith(subject, changes), 'invalid_token');

const createExpectedIdentity = ({ issuer }: MintingSubject, changes: Partial<IdentityClaims>): IdentityClaims => ({
  issuer,
  uid: 'alice',
  email: null,
  emailVerified: false,
  isAccessToken: false,
  groups: null,
  ...changes,
});

const invalidSeconds: readonly (Json | undefined)[] = [null, '', '9999999999', true, [], {}, [9_999_999_999]];

/** Strings that are not tokens of any kind. */
const invalidTokens = [
  '',
  ' ',
  '.',
  '..',
  '...',
  'null',
  '{}',
  'alice',
  'a.b.c',
  'e30.e30.',
  'e30.e30.e30',
  '\0',
  '🙂.🙂.🙂',
];

export const tokenVerifierContract = {
  'the subject of a valid token is returned without normalization': async (subject) => {
    for (const sub of ['alice', 'Alice', ' a ', 'auth0|5f7c8ec7c33c6c004bbafe82', 'žluťoučký 🙂', '0']) {
      deepStrictEqual(await verifyWith(subject, { sub }), createExpectedIdentity(subject, { uid: sub }));
    }
  },
  'the issuer of a valid token is returned without normalization': async (subject) => {
    strictEqual((await verifyWith(subject, {})).issuer, subject.issuer);
  },
  'a subject has 1 to 128 characters': async (subject) => {
    for (const sub of ['a', 'a'.repeat(128), '🙂'.repeat(128)]) await assertValid(subject, { sub });
    for (const sub of [undefined, null, '', 'a'.repeat(129), '🙂'.repeat(129), 7, ['alice'], {}, true]) {
      await assertInvalid(subject, { sub });
    }
  },
  'a subject that cannot be stored is invalid': async (subject) => {
    for (const sub of ['\0', 'al\0ice', '\ud800', 'alice\udc00']) await assertInvalid(subject, { sub });
  },
  'an email is returned exactly as in the token': async (subject) => {
    for (const email of [' Alice@EXAMPLE.com\t', '  ', '\u212aim@example.com'])
      deepStrictEqual(await verifyWith(subject, { email }), createExpectedIdentity(subject, { email }));
  },
  'a token may have no email, and an email that is not a string makes it invalid': async (subject) => {
    for (const email of [undefined, null, '']) {
      deepStrictEqual(await verifyWith(subject, { email }), createExpectedIdentity(subject, { email: null }));
    }
    for (const email of [7, true, ['alice@example.com'], {}]) await assertInvalid(subject, { email });
  },
  'an email is verified only if the token says so': async (subject) => {
    const email = 'alice@example.com';
    for (const verifiedClaim of [true, 'true']) {
      deepStrictEqual(
        await verifyWith(subject, { email, email_verified: verifiedClaim }),
        createExpectedIdentity(subject, { email, emailVerified: true }),
      );
    }
    for (const verifiedClaim of [undefined, null, false, 'false', '', 0, 1, 'yes', {}, [true]]) {
      deepStrictEqual(
        await verifyWith(subject, { email, email_verified: verifiedClaim }),
        createExpectedIdentity(subject, { email }),
      );
    }
  },
  'other claims of a token are not returned': async (subject) => {
    deepStrictEqual(
      await verifyWith(subject, { role: 'admin', admin: true, groups: ['admins'], uid: 'bob', emailVerified: true }),
      createExpectedIdentity(subject, {}),
    );
  },
  'a string that is not a token is invalid': async (subject) => {
    const token = await subject.mint(createValidClaims(subject));
    await subject.verifier.verify(token);
    for (const text of [
      ...invalidTokens,
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `Bearer ${token}`,
      `${token}.${token}`,
    ]) {
      await assertRejects(subject.verifier.verify(text), 'invalid_token');
    }
    for (let length = 0; length < token.length; length += 1) {
      const part = token.slice(0, length);
      await assertRejects(subject.verifier.verify(part), 'invalid_token');
    }
  },
  'a token longer than 8 KiB is invalid, regardless of its claims': async (subject) => {
    const createPaddedToken = async (length: number) =>
      subject.mint(createClaimsWith(subject, { padding: 'x'.repeat(length) }));
    const overhead = (await createPaddedToken(5_000)).length - Math.ceil((5_000 * 4) / 3);
    const length = Math.floor(((tokenMaxLength - overhead) * 3) / 4) - 4;
    const longToken = await createPaddedToken(length);
    ok(
      longToken.length <= tokenMaxLength && longToken.length > tokenMaxLength - 20,
      `it has ${longToken.length} characters`,
    );
    await subject.verifier.verify(longToken);
    await assertRejects(subject.verifier.verify(await createPaddedToken(length + 16)), 'invalid_token');
  },
  'a forged token is invalid': async (subject) => {
    await assertRejects(subject.verifier.verify(await subject.forge(createValidClaims(subject))), 'invalid_token');
  },
  'a forged token is invalid even after a genuine token with the same claims': async (subject) => {
    const claims = createValidClaims(subject);
    await subject.verifier.verify(await subject.mint(claims));
    await assertRejects(subject.verifier.verify(await subject.forge(claims)), 'invalid_token');
  },
  'a token from a different issuer is invalid, however similar the name': async (subject) => {
    const { issuer } = subject;
    for (const iss of [
      undefined,
      null,
      '',
      `${issuer}/`,
      issuer.slice(0, -1),
      issuer.toUpperCase(),
      ` ${issuer}`,
      [issuer],
      'https://accounts.example.org',
    ]) {
      await assertInvalid(subject, { iss });
    }
  },
  'a token for a different audience is invalid': async (subject) => {
    const { audience } = subject;
    const wrongAudiences = [
      undefined,
      null,
      '',
      `${audience}2`,
      audience.toUpperCase(),
      {},
      { [audience]: true },
      true,
    ];
    for (const aud of [...wrongAudiences, [], ['another'], [audience.toUpperCase()], [[audience]]]) {
      await assertInvalid(subject, { aud });
    }
  },
  'a token for several audiences is valid only if it was issued to this one': async (subject) => {
    const { audience } = subject;
    await assertValid(subject, { aud: [audience] });
    await assertValid(subject, { aud: [audience, 'another'], azp: audience });
    await assertValid(subject, { aud: ['another', audience], azp: audience });
    for (const azp of [undefined, null, 'another', [audience]]) {
      await assertInvalid(subject, { aud: [audience, 'another'], azp });
    }
    await assertInvalid(subject, { aud: ['another', 'a third'], azp: audience });
  },
  'a token must have an expiry that is a number': async (subject) => {
    for (const exp of [undefined, ...invalidSeconds, 0, -1]) await assertInvalid(subject, { exp, iat: undefined });
  },
  'a token is valid until 60 seconds after its expiry, but no longer': async (subject) => {
    const now = nowOf(subject);
    await assertValid(subject, { iat: now - 3_600, exp: now - skewSeconds + 1 });
    await assertInvalid(subject, { iat: now - 3_600, exp: now - skewSeconds });
    await assertInvalid(subject, { iat: now - 3_600, exp: now - skewSeconds - 1 });
  },
  'a token is valid from 60 seconds before its nbf, but no earlier': async (subject) => {
    const now = nowOf(subject);
    await assertValid(subject, { nbf: now });
    await assertValid(subject, { nbf: now + skewSeconds });
    await assertInvalid(subject, { nbf: now + skewSeconds + 1 });
    for (const nbf of invalidSeconds) await assertInvalid(subject, { nbf });
  },
  'a token issued more than 60 seconds in the future is invalid': async (subject) => {
    const now = nowOf(subject);
    await assertValid(subject, { iat: undefined });
    await assertValid(subject, { iat: now + skewSeconds });
    await assertInvalid(subject, { iat: now + skewSeconds + 1 });
    for (const iat of invalidSeconds) await assertInvalid(subject, { iat });
  },
  'a token may have any lifetime': async (subject) => {
    const now = nowOf(subject);
    for (const days of [1, 2, 400]) await assertValid(subject, { iat: now, exp: now + days * day });
    await assertValid(subject, { iat: now - 400 * day, exp: now + 60 });
  },
  'a token that was valid is validated again each time': async (subject) => {
    const now = nowOf(subject);
    const token = await subject.mint(createClaimsWith(subject, { sub: 'bob', exp: now + 100 }));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assertIdentity(subject, token, createExpectedIdentity(subject, { uid: 'bob' }));
    }
    subject.clock.advance((100 + skewSeconds) * 1_000 - 1);
    await assertIdentity(subject, token, createExpectedIdentity(subject, { uid: 'bob' }));
    subject.clock.advance(1);
    await assertRejects(subject.verifier.verify(token), 'invalid_token');
  },
  'a token that was presented too early becomes valid later': async (subject) => {
    const token = await subject.mint(createClaimsWith(subject, { nbf: nowOf(subject) + 600 }));
    await assertRejects(subject.verifier.verify(token), 'invalid_token');
    subject.clock.advance(600_000);
    await assertIdentity(subject, token, createExpectedIdentity(subject, {}));
  },
  'tokens that are verified concurrently are not mixed up': async (subject) => {
    const names = Array.from({ length: 40 }, (_, index) => `user-${index % 20}`);
    const tokens = await Promise.all(names.map((sub) => subject.mint(createClaimsWith(subject, { sub }))));
    const claims = await Promise.all(tokens.map((token) => subject.verifier.verify(token)));
    deepStrictEqual(
      claims,
      names.map((uid) => createExpectedIdentity(subject, { uid })),
    );
  },
} satisfies Contract<TokenVerifierSubject>;

/** The contract of a verifier while its keys are unavailable. */
export const keylessTokenVerifierContract = {
  'verifying a token throws identity_unavailable each time while no key is available': async (subject) => {
    const token = await subject.mint(createValidClaims(subject));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assertRejects(subject.verifier.verify(token), 'identity_unavailable');
    }
  },
  'a string that is not a token is invalid even without keys': async ({ verifier }) => {
    for (const text of ['', 'alice', '..', '\0', 'x'.repeat(tokenMaxLength + 1)]) {
      await assertRejects(verifier.verify(text), 'invalid_token');
    }
  },
} satisfies Contract<KeylessTokenVerifierSubject>;
