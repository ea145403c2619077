import { ManualClock, recordLog } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startProvider, unavailable, type LoopbackProvider } from '../test/loopback-provider.ts';
import { longTimeoutMs, createMemoryStorage, type MemoryStorage } from '../test/provider-and-verifier.ts';
import { endpointsFreshMs, endpointsIn, endpointsRetryMs, IssuerEndpoints } from './issuer-endpoints.ts';

const metadata = {
  authorization_endpoint: 'https://login.example.net/authorize',
  token_endpoint: 'https://login.example.net/token',
  userinfo_endpoint: 'https://graph.example.org/me',
  end_session_endpoint: 'https://login.example.net/logout',
  device_authorization_endpoint: 'https://device.example.net/',
};
const addresses = [
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
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const start = (stored: MemoryStorage = storage, issuer = provider.issuer): IssuerEndpoints => {
    const log = { ...recordLog(), warn };
    const created = new IssuerEndpoints({ issuer, clock, storage: stored, timeoutMs: longTimeoutMs, log });
    onTestFinished(() => created.close());
    return created;
  };
  return { provider, storage, clock, warnings, start, endpoints: start() };
};

test('the first call returns nothing and queries the provider; later calls return the browser endpoints', async () => {
  const { provider, endpoints } = await endpointsOf();
  expect(provider.requests.discovery).toBe(0);
  expect(endpoints.current()).toEqual([]);
  await expect.poll(() => endpoints.current()).toEqual(addresses);
  expect(provider.requests).toEqual({ discovery: 1, keys: 0 });
});

test('the provider is queried again after an hour, and the last known endpoints are used in the meantime', async () => {
  const { provider, clock, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.current()).toEqual(addresses);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  clock.advance(endpointsFreshMs - 1);
  expect(endpoints.current()).toEqual(addresses);
  // A request sent before this one would have arrived by now.
  await fetch(provider.issuer);
  expect(provider.requests.discovery).toBe(1);
  clock.advance(1);
  expect(endpoints.current()).toEqual(addresses);
  await expect.poll(() => endpoints.current()).toEqual(['https://new.example.net/token']);
});

test('while the provider is down the last known endpoints are used, and it is retried after a pause', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.current()).toEqual(addresses);
  provider.onDiscoveryRequest(unavailable);
  clock.advance(endpointsFreshMs);
  endpoints.current();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.current()).toEqual(addresses);
  expect(provider.requests.discovery).toBe(2);
  clock.advance(endpointsRetryMs);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  await expect.poll(() => endpoints.current()).toEqual(['https://new.example.net/token']);
});

test('a restart while the provider is down restores the stored endpoints, of the same issuer only', async () => {
  const { provider, storage, clock, warnings, endpoints, start } = await endpointsOf();
  await expect.poll(() => endpoints.current()).toEqual(addresses);
  await expect.poll(() => storage.text()).not.toBeNull();
  provider.onDiscoveryRequest(unavailable);
  const restarted = start();
  await expect.poll(() => restarted.current()).toEqual(addresses);
  const other = start(storage, `${provider.issuer}/other`);
  other.current();
  await expect.poll(() => warnings.length).toBe(2);
  clock.advance(endpointsRetryMs);
  expect(other.current()).toEqual([]);
});

test.each([
  ['of another issuer', { issuer: 'https://another.example.com', ...metadata }],
  ['that is not an object', 'text'],
])('a document %s changes nothing', async (_, document) => {
  const { provider, warnings, endpoints } = await endpointsOf();
  provider.onDiscoveryRequest((response) => response.end(JSON.stringify(document)));
  endpoints.current();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.current()).toEqual([]);
});

test('stored text in another format is not used', async () => {
  const { provider, warnings, start } = await endpointsOf();
  provider.onDiscoveryRequest(unavailable);
  for (const stored of ['{', '7', JSON.stringify({ issuer: provider.issuer, endpoints: 'https://a.example.com' })]) {
    const storage = createMemoryStorage();
    await storage.save(stored);
    const before = warnings.length;
    const restarted = start(storage);
    restarted.current();
    await expect.poll(() => warnings.length).toBeGreaterThan(before);
    expect(restarted.current()).toEqual([]);
  }
});

test('members that are not strings are omitted', async () => {
  const { provider, endpoints } = await endpointsOf();
  publish(provider, { ...metadata, userinfo_endpoint: 7, end_session_endpoint: ['https://a.example.com/'] });
  await expect.poll(() => endpoints.current()).toEqual(addresses.slice(0, 2));
});

test('an issuer on https has no endpoint on plain http, an issuer on loopback may have one', () => {
  const token_endpoint = 'http://127.0.0.1:8080/token';
  const userinfo_endpoint = 'https://id.example.com/me';
  const endpointsOfIssuer = (issuer: string) =>
    endpointsIn(JSON.stringify({ issuer, token_endpoint, userinfo_endpoint }), issuer);
  expect(endpointsOfIssuer('https://id.example.com')).toEqual([userinfo_endpoint]);
  expect(endpointsOfIssuer('http://127.0.0.1:8080')).toEqual([token_endpoint, userinfo_endpoint]);
});

test('closing aborts the request in flight without logging it, and no request follows', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  const requestArrived = new Promise<void>((resolve) => provider.onDiscoveryRequest(() => resolve()));
  endpoints.current();
  await requestArrived;
  await endpoints.close();
  clock.advance(endpointsFreshMs);
  expect(endpoints.current()).toEqual([]);
  expect(provider.requests.discovery).toBe(1);
  expect(warnings).toEqual([]);
});
