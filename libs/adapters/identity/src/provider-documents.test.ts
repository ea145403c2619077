import { describe, expect, test } from 'vitest';
import { makeSigningKey, signToken, startProvider, type Responder } from '../test/loopback-provider.ts';
import { outcomeOf, startProviderAndVerifier, useStoppedTime } from '../test/provider-and-verifier.ts';
import { assertFetchable, documentMaxBytes, fetchKeySetText, parseKeySetUrl } from './provider-documents.ts';

const key = await makeSigningKey('one');
const openSignal = new AbortController().signal;
const timeoutMs = 600_000;
const providerWith = (issuer: string, jwksUrl: string | null = null) => ({ issuer, jwksUrl, timeoutMs });

test.each([
  'http://example.com/keys',
  'http://127.0.0.1.example.com/keys',
  'http://127.evil.example/keys',
  'http://localhost.example.com/keys',
  'http://10.0.0.1/keys',
  'http://[::2]/keys',
  'http://0.0.0.0/keys',
  'ftp://127.0.0.1/keys',
  'file:///etc/passwd',
  'data:application/json,{}',
  'https://user:password@id.example.com/keys',
  'no address',
  '',
])('keys are not fetched from %j', async (address) => {
  expect(() => assertFetchable(providerWith('https://id.example.com', address))).toThrow();
  expect(() => assertFetchable(providerWith(address))).toThrow();
  await expect(fetchKeySetText(providerWith('https://id.example.com', address), openSignal)).rejects.toThrow(
    /address|https|URL/,
  );
});

test.each(['https://id.example.com/keys', 'http://localhost:1/keys', 'http://127.9.9.9/keys', 'http://[::1]/keys'])(
  'keys may be fetched from %j',
  (address) => {
    expect(() => assertFetchable(providerWith('https://id.example.com', address))).not.toThrow();
  },
);

test('a verifier is not created for an issuer with a forbidden URL', async () => {
  const { start } = await startProviderAndVerifier([key]);
  expect(() => start({ issuer: 'http://id.example.com' })).toThrow('must be https');
});

describe('a discovery document', () => {
  const outcomeWith = async (documentOf: (issuer: string) => unknown): Promise<string> => {
    const { provider, verifier, claims } = await startProviderAndVerifier([key]);
    provider.onDiscoveryRequest((response) => response.end(JSON.stringify(documentOf(provider.issuer))));
    return outcomeOf(verifier.verify(await signToken(key, claims())));
  };

  test.each<[string, (issuer: string) => unknown]>([
    ['of a different issuer', (issuer) => ({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` })],
    ['without an issuer', (issuer) => ({ jwks_uri: `${issuer}/keys` })],
    ['without the URL of the keys', (issuer) => ({ issuer })],
    ['with a URL that is not a string', (issuer) => ({ issuer, jwks_uri: [`${issuer}/keys`] })],
    [
      'that refers us to an http URL that is not on loopback',
      (issuer) => ({ issuer, jwks_uri: 'http://192.0.2.1/keys' }),
    ],
    ['that is null', () => null],
    ['that is an array', () => []],
  ])('%s is not followed', async (_name, documentOf) => {
    expect(await outcomeWith(documentOf)).toBe('identity_unavailable');
  });

  test('of the issuer is followed, even if it contains other members', async () => {
    expect(await outcomeWith((issuer) => ({ issuer, jwks_uri: `${issuer}/keys`, more: [1] }))).toBe('good');
  });

  test('that is fetched over https cannot refer us to plain http, not even on loopback', () => {
    const issuer = 'https://id.example.com';
    const keySetUrlIn = (url: string) => () => parseKeySetUrl(JSON.stringify({ issuer, jwks_uri: url }), issuer);
    expect(keySetUrlIn('http://127.0.0.1/keys')).toThrow('is not https');
    expect(keySetUrlIn('https://keys.example.com/')()).toBe('https://keys.example.com/');
  });

  test('is found for an issuer with a trailing slash', async () => {
    const { provider, start, claims } = await startProviderAndVerifier([key]);
    const issuer = `${provider.issuer}/`;
    provider.onDiscoveryRequest((response) => response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}keys` })));
    const token = await signToken(key, claims({ iss: issuer }));
    expect(await outcomeOf(start({ issuer }).verify(token))).toBe('good');
  });
});

describe('a response of the provider', () => {
  const fetchFrom = async (respond: Responder): Promise<string> => {
    const provider = await startProvider([key]);
    provider.onKeysRequest(respond);
    return fetchKeySetText(providerWith(provider.issuer), openSignal);
  };

  test('is accepted up to 256 KiB', async () => {
    expect(await fetchFrom((response) => response.end('x'.repeat(documentMaxBytes)))).toHaveLength(documentMaxBytes);
    await expect(fetchFrom((response) => response.end('x'.repeat(documentMaxBytes + 1)))).rejects.toThrow('262144');
  });

  test.each([201, 204, 301, 302, 307, 404, 500, 503])('with status %i is rejected', async (status) => {
    const respond: Responder = (response) => response.writeHead(status, { location: '/keys' }).end();
    await expect(fetchFrom(respond)).rejects.toThrow(`responded with status ${status}`);
  });

  test.each<[string, Responder]>([
    ['nothing at all', () => undefined],
    ['only the head', (response) => response.flushHeaders()],
    ['only half of the body', (response) => response.write('{"keys":[')],
  ])('times out if %s arrives before the timeout', async (_name, respond) => {
    const time = useStoppedTime();
    const requestArrived = Promise.withResolvers<void>();
    const rejection = expect(fetchFrom((...args) => (requestArrived.resolve(), respond(...args)))).rejects.toThrow(
      /timeout/,
    );
    await requestArrived.promise;
    await time.advance(timeoutMs);
    await rejection;
  });

  test('times out if the discovery document does not arrive before the timeout', async () => {
    const provider = await startProvider([key]);
    const time = useStoppedTime();
    const requestArrived = new Promise<void>((resolve) => provider.onDiscoveryRequest(() => resolve()));
    const rejection = expect(fetchKeySetText(providerWith(provider.issuer), openSignal)).rejects.toThrow(/timeout/);
    await requestArrived;
    await time.advance(timeoutMs);
    await rejection;
  });
});
