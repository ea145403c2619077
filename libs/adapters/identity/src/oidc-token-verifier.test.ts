import { createHmac } from 'node:crypto';
import {
  accessTokenContract,
  ManualClock,
  groupsClaim,
  groupsClaimContract,
  keylessTokenVerifierContract,
  recordLog,
  tokenVerifierContract,
} from '@portico/contracts';
import type { ReportedEmail } from '@portico/domain';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { makeSigningKey, signToken, startProvider, respondUnavailable } from '../test/loopback-provider.ts';
import {
  audience,
  base64url,
  createMemoryStorage,
  outcomeOf,
  startProviderAndVerifier,
} from '../test/provider-and-verifier.ts';
import { createLocalIssuer, localAudience, localIssuerName, makeLocalIssuerKey } from './local-issuer.ts';
import { createOidcTokenVerifier } from './oidc-token-verifier.ts';

const key = await makeSigningKey('one');

describe.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('with a provider that signs by %s', async (algorithm) => {
  const [signer, forger] = [await makeSigningKey('one', algorithm), await makeSigningKey('one', algorithm)];

  test.each(Object.entries(tokenVerifierContract))('%s', async (_sentence, check) => {
    const { provider, clock, verifier } = await startProviderAndVerifier([signer]);
    await check({
      verifier,
      issuer: provider.issuer,
      audience,
      clock,
      mint: (claims) => signToken(signer, claims),
      forge: (claims) => signToken(forger, claims),
    });
  });
});

describe('for access tokens', async () => {
  const forger = await makeSigningKey('one');
  const accessAudiences = ['https://portico.example.com/mcp', 'portico-mcp'] as const;
  const accessTokenHeader = { typ: 'at+jwt' };
  const openSubject = async () => {
    const { provider, clock, verifier } = await startProviderAndVerifier([key], { accessAudiences });
    const forge = (claims: Record<string, unknown>) => signToken(forger, claims, accessTokenHeader);
    const reported = new Map<unknown, ReportedEmail | null>();
    provider.onUserInfoRequest((response, { headers }) => {
      const { sub } = decodeJwt((headers.authorization ?? '').replace(/^Bearer /, ''));
      const reportedEmail = reported.get(sub);
      if (!reportedEmail) return response.writeHead(403).end();
      return response.end(
        JSON.stringify({ sub, email: reportedEmail.email, email_verified: reportedEmail.emailVerified }),
      );
    });
    const report = (uid: string, email: ReportedEmail | null) => void reported.set(uid, email);
    return { verifier, issuer: provider.issuer, audience, accessAudiences, clock, forge, report };
  };

  test.each(Object.entries(accessTokenContract))('%s', async (_sentence, check) => {
    await check({
      ...(await openSubject()),
      mint: (claims) => signToken(key, claims),
      mintAccessToken: (claims) => signToken(key, claims, accessTokenHeader),
    });
  });

  const sharedCases = Object.entries(tokenVerifierContract).filter(
    ([title]) => title !== 'a token for several audiences is valid only if it was issued to this one',
  );
  test.each(sharedCases)('as for identity tokens: %s', async (_sentence, check) => {
    const subject = await openSubject();
    await check({
      ...subject,
      // They differ only in this mark.
      verifier: {
        verify: async (token) => ({
          ...(await subject.verifier.verify(token, 'identity or access')),
          isAccessToken: false,
        }),
      },
      audience: accessAudiences[0],
      mint: (claims) => signToken(key, claims, accessTokenHeader),
    });
  });

  test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+JWT', 'JWT', undefined])(
    'the type %j is accepted for an access token',
    async (typ) => {
      const { verifier, claims } = await startProviderAndVerifier([key], { accessAudiences });
      const token = await signToken(key, claims({ aud: accessAudiences[1] }), { typ });
      expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('good');
      expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
    },
  );

  test.each(['', 'at', 'jwt+at', 'application/jwt', 'logout+jwt', 'dpop+jwt', 'application/okta-internal-at+jwt'])(
    'the type %j is rejected for every token',
    async (typ) => {
      const { verifier, claims } = await startProviderAndVerifier([key], { accessAudiences });
      const token = await signToken(key, claims({ aud: accessAudiences[1] }), { typ });
      expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('invalid_token');
    },
  );

  test('no access token is valid without an audience for access tokens', async () => {
    const { verifier, claims } = await startProviderAndVerifier([key]);
    for (const aud of [audience, accessAudiences[0], [accessAudiences[0], audience], undefined]) {
      const token = await signToken(key, claims({ aud }), accessTokenHeader);
      expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('invalid_token');
    }
  });

  test('if only identity tokens are accepted, an access token causes no request to the provider', async () => {
    const { provider, verifier, claims } = await startProviderAndVerifier([key], { accessAudiences });
    const token = await signToken(key, claims({ aud: accessAudiences[0] }), accessTokenHeader);
    expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
    expect(provider.requests).toEqual({ discovery: 0, keys: 0, userInfo: 0 });
  });

  test('a shared secret cannot sign an access token', async () => {
    const { verifier, claims } = await startProviderAndVerifier([key], { accessAudiences });
    const header = { alg: 'HS256', kid: 'one', typ: 'at+jwt' };
    const signingInput = [header, claims({ aud: accessAudiences[0] })].map(base64url).join('.');
    const token = `${signingInput}.${createHmac('sha256', JSON.stringify(key.jwk)).update(signingInput).digest('base64url')}`;
    expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('invalid_token');
  });
});

describe('with a groups claim', () => {
  test.each(Object.entries(groupsClaimContract))('%s', async (_sentence, check) => {
    const { provider, clock, verifier } = await startProviderAndVerifier([key], { groupsClaim });
    await check({ verifier, issuer: provider.issuer, audience, clock, mint: (claims) => signToken(key, claims) });
  });

  test('if the claim is absent, an access token leaves the groups unknown, and an identity token has no groups', async () => {
    const accessAudiences = ['https://portico.example.com/mcp'];
    const { verifier, claims } = await startProviderAndVerifier([key], { groupsClaim, accessAudiences });
    const iat = Number(claims().exp) - 3_600;
    const groupsIn = async (changes: Readonly<Record<string, unknown>>, typ: string) => {
      const token = await signToken(key, claims({ iat, ...changes }), { typ });
      return (await verifier.verify(token, 'identity or access')).groups?.names ?? null;
    };
    const [aud] = accessAudiences;
    for (const typ of ['at+jwt', 'JWT']) {
      expect(await groupsIn({ aud }, typ)).toBeNull();
      expect(await groupsIn({ aud, [groupsClaim]: null }, typ)).toBeNull();
      expect(await groupsIn({ aud, [groupsClaim]: [] }, typ)).toEqual([]);
      expect(await groupsIn({ aud, [groupsClaim]: ['Cafe\u0301'] }, typ)).toEqual(['Caf\u00e9']);
    }
    expect(await groupsIn({}, 'JWT')).toEqual([]);
    expect(await groupsIn({ [groupsClaim]: ['Crew'] }, 'JWT')).toEqual(['Crew']);
  });

  test('if the claim is absent, a token that can be of either kind leaves the groups unknown where it can be an access token', async () => {
    const options = { groupsClaim, accessAudiences: [audience] };
    const { verifier, claims } = await startProviderAndVerifier([key], options);
    const token = await signToken(key, claims({ iat: 1 }));
    expect((await verifier.verify(token, 'identity or access')).groups).toBeNull();
    expect((await verifier.verify(token, 'identity')).groups?.names).toEqual([]);
    expect((await verifier.verify(token, 'identity or access')).groups).toBeNull();
  });

  test('a token with too many groups is logged once', async () => {
    const { verifier, claims, warnings } = await startProviderAndVerifier([key], { groupsClaim });
    const names = Array.from({ length: 1_001 }, (_, index) => index.toString(36));
    const iat = Number(claims().exp) - 3_600;
    const tokenWith = (groups: readonly string[], sub: string) =>
      signToken(key, claims({ [groupsClaim]: groups, iat, sub }));
    await verifier.verify(await tokenWith(names.slice(1), 'alice'));
    expect(warnings).toEqual([]);
    for (const sub of ['alice', 'bob']) await verifier.verify(await tokenWith(names, sub));
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('more than 1000 groups')]);
  });
});

describe('with a provider that was never reached', () => {
  test.each(Object.entries(keylessTokenVerifierContract))('%s', async (_sentence, check) => {
    const { provider, clock, verifier } = await startProviderAndVerifier([key]);
    provider.onKeysRequest(respondUnavailable);
    await check({ verifier, issuer: provider.issuer, audience, clock, mint: (claims) => signToken(key, claims) });
  });
});

test('nothing is fetched before the first token, nor for a malformed one', async () => {
  const { provider, verifier, claims } = await startProviderAndVerifier([key]);
  expect(await outcomeOf(verifier.verify('no token'))).toBe('invalid_token');
  expect(provider.requests).toEqual({ discovery: 0, keys: 0, userInfo: 0 });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  expect(provider.requests).toEqual({ discovery: 1, keys: 1, userInfo: 0 });
});

test('no discovery document is requested if the URL of the keys is configured', async () => {
  const { provider, claims, start } = await startProviderAndVerifier([key]);
  const verifier = start({ jwksUrl: `${provider.issuer}/keys` });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  expect(provider.requests).toEqual({ discovery: 0, keys: 1, userInfo: 0 });
});

test('a service that knows the URL of the keys of a local issuer accepts its tokens', async () => {
  const clock = new ManualClock();
  const localIssuer = await createLocalIssuer({ key: await makeLocalIssuerKey(), clock });
  const provider = await startProvider([]);
  provider.publish(...localIssuer.getKeySet().keys);
  const verifier = createOidcTokenVerifier({
    issuer: localIssuerName,
    audience: localAudience,
    jwksUrl: `${provider.issuer}/keys`,
    clock,
    storage: createMemoryStorage(),
    log: recordLog(),
  });
  const token = await localIssuer.mint({ uid: 'alice', ttlSeconds: 60 });
  expect(await verifier.verify(token)).toEqual({
    issuer: localIssuerName,
    uid: 'alice',
    email: null,
    emailVerified: false,
    isAccessToken: false,
    groups: null,
  });
  await verifier.close();
});

test('the probe reports a provider that is down, even while its last keys are still good', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([key]);
  const { probe } = verifier;
  expect({ name: probe.name, essential: probe.essential }).toEqual({ name: 'identity', essential: false });
  await probe.check();
  provider.onKeysRequest(respondUnavailable);
  clock.advance(3_600_000);
  await expect(probe.check()).rejects.toThrow('responded with status 503');
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  provider.onKeysRequest(null);
  clock.advance(3_600_000);
  await expect.poll(() => outcomeOf(probe.check())).toBe('good');
});

test('closing aborts a running fetch without logging it, and nothing is fetched afterwards', async () => {
  const { provider, verifier, claims, clock, warnings } = await startProviderAndVerifier([key], { timeoutMs: 60_000 });
  const requestArrived = new Promise<void>((resolve) => provider.onKeysRequest(() => resolve()));
  const token = await signToken(key, claims());
  const outcome = outcomeOf(verifier.verify(token));
  await requestArrived;
  await verifier.close();
  expect(await outcome).toBe('identity_unavailable');
  provider.onKeysRequest(null);
  clock.advance(60_000);
  expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
  expect(provider.requests.keys).toBe(1);
  expect(warnings).toEqual([]);
});

describe('with several audiences', () => {
  const audiences = ['console', 'tool'];

  test('an identity token may be for any of them', async () => {
    const { verifier, claims } = await startProviderAndVerifier([key], { audience: audiences });
    for (const aud of [...audiences, ['tool'], 'app', ['app'], undefined]) {
      const expected = [aud].flat().some((name) => name === 'console' || name === 'tool') ? 'good' : 'invalid_token';
      expect([aud, await outcomeOf(verifier.verify(await signToken(key, claims({ aud }))))]).toEqual([aud, expected]);
    }
  });

  test.each([
    [['console', 'tool'], 'tool', 'good'],
    [['console', 'another'], 'console', 'good'],
    [['console', 'another'], 'tool', 'invalid_token'],
    [['console', 'another'], 'another', 'invalid_token'],
    [['console', 'another'], undefined, 'invalid_token'],
    [['another', 'a third'], 'console', 'invalid_token'],
  ])('an identity token for %j that was issued to %s is %s', async (aud, azp, expected) => {
    const { verifier, claims } = await startProviderAndVerifier([key], { audience: audiences });
    expect(await outcomeOf(verifier.verify(await signToken(key, claims({ aud, azp }))))).toBe(expected);
  });
});

describe('with a list of accepted clients', () => {
  const accessAudiences = ['service'];
  const openVerifier = () =>
    startProviderAndVerifier([key], { accessAudiences, authorizedParties: [audience, 'tool'] });

  test.each([
    [{ azp: audience }, 'good'],
    [{ azp: 'tool' }, 'good'],
    [{ azp: 'another' }, 'invalid_token'],
    [{ azp: '' }, 'invalid_token'],
    [{ azp: null }, 'invalid_token'],
    [{ azp: ['tool'] }, 'invalid_token'],
    [{ aud: [audience, 'another'], azp: audience }, 'good'],
    [{}, 'good'],
    [{ client_id: 'tool' }, 'good'],
    [{ client_id: 'another' }, 'invalid_token'],
    [{ azp: 'tool', client_id: 'another' }, 'invalid_token'],
  ])('an identity token with %j is %s', async (changes, expected) => {
    const { verifier, claims } = await openVerifier();
    expect(await outcomeOf(verifier.verify(await signToken(key, claims(changes))))).toBe(expected);
  });

  test.each([
    [{ azp: 'tool' }, 'good'],
    [{ client_id: 'tool' }, 'good'],
    [{ azp: 'another', client_id: 'tool' }, 'invalid_token'],
    [{ client_id: 'another' }, 'invalid_token'],
    [{}, 'invalid_token'],
  ])('an access token with %j is %s', async (changes, expected) => {
    const { verifier, claims } = await openVerifier();
    const token = await signToken(key, claims({ aud: accessAudiences[0], ...changes }), { typ: 'at+jwt' });
    expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe(expected);
  });

  test('without a list, the tokens of all clients are accepted', async () => {
    const { verifier, claims } = await startProviderAndVerifier([key], { accessAudiences });
    expect(await outcomeOf(verifier.verify(await signToken(key, claims({ azp: 'another' }))))).toBe('good');
  });
});

test('an empty audience is rejected immediately, because it would match tokens without an audience', async () => {
  const { start } = await startProviderAndVerifier([key]);
  for (const emptyAudience of ['', [], ['app', '']])
    expect(() => start({ audience: emptyAudience })).toThrow('audience');
});
