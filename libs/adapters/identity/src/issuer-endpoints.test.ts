import { ManualClock, recordLog } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startProvider, respondUnavailable, type LoopbackProvider } from '../test/loopback-provider.ts';
import { longTimeoutMs, createMemoryStorage, type MemoryStorage } from '../test/provider-and-verifier.ts';
import { endpointsTtlMs, parseEndpoints, endpointsRetryMs, IssuerEndpoints } from './issuer-endpoints.ts';

const metadata = {
  authorization_endpoint: 'https://login.example.net/authorize',
  token_endpoint: 'https://login.example.net/token',
  userinfo_endpoint: 'https://graph.example.org/me',
  end_session_endpoint: 'https://login.example.net/logout',
  device_authorization_endpoint: 'https://device.example.net/',
};
const endpointUrls = [
  'https://login.example.net/authorize',
  'https://login.example.net/token',
  'https://graph.example.org/me',
  'https://login.example.net/logout',
];

const publish = (provider: LoopbackProvider, document: object): void =>
  provider.onDiscoveryRequest((response) => response.end(JSON.stringify({ issuer: provider.issuer, ...document })));

/** Returns the endpoints of a provider that publishes `metadata`. */
const endpointsOf = async () => {
  const provider = await startProvider([]);
  publish(provider, metadata);
  const storage = createMemoryStorage();
  const clock = new ManualClock();
  const warnings: string[] = [];
  const recordWarning = (_fields: object, message: string) => void warnings.push(message);
  const start = (endpointStorage: MemoryStorage = storage, issuer = provider.issuer): IssuerEndpoints => {
    const log = { ...recordLog(), warn: recordWarning };
    const issuerEndpoints = new IssuerEndpoints({
      issuer,
      clock,
      storage: endpointStorage,
      timeoutMs: longTimeoutMs,
      log,
    });
    onTestFinished(() => issuerEndpoints.close());
    return issuerEndpoints;
  };
  return { provider, storage, clock, warnings, start, endpoints: start() };
};

test('the first call returns nothing and queries the provider; later calls return the browser endpoints', async () => {
  const { provider, endpoints } = await endpointsOf();
  expect(provider.requests.discovery).toBe(0);
  expect(endpoints.getCurrent()).toEqual([]);
  await expect.poll(() => endpoints.getCurrent()).toEqual(endpointUrls);
  expect(provider.requests).toEqual({ discovery: 1, keys: 0, userInfo: 0 });
});

test('the provider is queried again after an hour, and the last known endpoints are used in the meantime', async () => {
  const { provider, clock, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.getCurrent()).toEqual(endpointUrls);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  clock.advance(endpointsTtlMs - 1);
  expect(endpoints.getCurrent()).toEqual(endpointUrls);
  // A request sent before this one would have arrived by now.
  await fetch(provider.issuer);
  expect(provider.requests.discovery).toBe(1);
  clock.advance(1);
  expect(endpoints.getCurrent()).toEqual(endpointUrls);
  await expect.poll(() => endpoints.getCurrent()).toEqual(['https://new.example.net/token']);
});

test('while the provider is down the last known endpoints are used, and it is retried after a pause', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.getCurrent()).toEqual(endpointUrls);
  provider.onDiscoveryRequest(respondUnavailable);
  clock.advance(endpointsTtlMs);
  endpoints.getCurrent();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.getCurrent()).toEqual(endpointUrls);
  expect(provider.requests.discovery).toBe(2);
  clock.advance(endpointsRetryMs);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  await expect.poll(() => endpoints.getCurrent()).toEqual(['https://new.example.net/token']);
});

test('a restart while the provider is down restores only the stored endpoints of the same issuer', async () => {
  const { provider, storage, clock, warnings, endpoints, start } = await endpointsOf();
  await expect.poll(() => endpoints.getCurrent()).toEqual(endpointUrls);
  await expect.poll(() => storage.text()).not.toBeNull();
  provider.onDiscoveryRequest(respondUnavailable);
  const restartedEndpoints = start();
  await expect.poll(() => restartedEndpoints.getCurrent()).toEqual(endpointUrls);
  const otherEndpoints = start(storage, `${provider.issuer}/other`);
  otherEndpoints.getCurrent();
  await expect.poll(() => warnings.length).toBe(2);
  clock.advance(endpointsRetryMs);
  expect(otherEndpoints.getCurrent()).toEqual([]);
});

test.each([
  ['of a different issuer', { issuer: 'https://another.example.com', ...metadata }],
  ['that is not an object', 'text'],
])('a document %s changes nothing', async (_, document) => {
  const { provider, warnings, endpoints } = await endpointsOf();
  provider.onDiscoveryRequest((response) => response.end(JSON.stringify(document)));
  endpoints.getCurrent();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.getCurrent()).toEqual([]);
});

test('stored text in a different format is not used', async () => {
  const { provider, warnings, start } = await endpointsOf();
  provider.onDiscoveryRequest(respondUnavailable);
  for (const storedText of [
    '{',
    '7',
    JSON.stringify({ issuer: provider.issuer, endpoints: 'https://a.example.com' }),
  ]) {
    const storage = createMemoryStorage();
    await storage.save(storedText);
    const warningsBefore = warnings.length;
    const restartedEndpoints = start(storage);
    restartedEndpoints.getCurrent();
    await expect.poll(() => warnings.length).toBeGreaterThan(warningsBefore);
    expect(restartedEndpoints.getCurrent()).toEqual([]);
  }
});

test('members that are not strings are omitted', async () => {
  const { provider, endpoints } = await endpointsOf();
  publish(provider, { ...metadata, userinfo_endpoint: 7, end_session_endpoint: ['https://a.example.com/'] });
  await expect.poll(() => endpoints.getCurrent()).toEqual(endpointUrls.slice(0, 2));
});

test('an issuer on https has no endpoint on plain http, an issuer on loopback may have one', () => {
  const token_endpoint = 'http://127.0.0.1:8080/token';
  const userinfo_endpoint = 'https://id.example.com/me';
  const endpointsOfIssuer = (issuer: string) =>
    parseEndpoints(JSON.stringify({ issuer, token_endpoint, userinfo_endpoint }), issuer);
  expect(endpointsOfIssuer('https://id.example.com')).toEqual([userinfo_endpoint]);
  expect(endpointsOfIssuer('http://127.0.0.1:8080')).toEqual([token_endpoint, userinfo_endpoint]);
});

test('closing aborts the request in flight without logging it, and no further request is sent', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  const requestArrived = new Promise<void>((resolve) => provider.onDiscoveryRequest(() => resolve()));
  endpoints.getCurrent();
  await requestArrived;
  await endpoints.close();
  clock.advance(endpointsTtlMs);
  expect(endpoints.getCurrent()).toEqual([]);
  expect(provider.requests.discovery).toBe(1);
  expect(warnings).toEqual([]);
});
