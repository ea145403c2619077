import { ClockByHand, recordLog } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startProvider, unavailable, type LoopbackProvider } from '../test/loopback-provider.ts';
import { amplyMs, keepInMemory, type KeptText } from '../test/provider-and-verifier.ts';
import { endpointsFreshMs, endpointsIn, endpointsRetryMs, IssuerEndpoints } from './issuer-endpoints.ts';

const discovered = {
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
  provider.answerDiscovery((response) => response.end(JSON.stringify({ issuer: provider.issuer, ...document })));

/** The endpoints of a provider, which has published `discovered`. */
const endpointsOf = async () => {
  const provider = await startProvider([]);
  publish(provider, discovered);
  const storage = keepInMemory();
  const clock = new ClockByHand();
  const warnings: string[] = [];
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const start = (kept: KeptText = storage, issuer = provider.issuer): IssuerEndpoints => {
    const log = { ...recordLog(), warn };
    const started = new IssuerEndpoints({ issuer, clock, storage: kept, timeoutMs: amplyMs, log });
    onTestFinished(() => started.close());
    return started;
  };
  return { provider, storage, clock, warnings, start, endpoints: start() };
};

test('the first call knows none and asks the provider; later calls know those that browsers use', async () => {
  const { provider, endpoints } = await endpointsOf();
  expect(provider.requests.discovery).toBe(0);
  expect(endpoints.known()).toEqual([]);
  await expect.poll(() => endpoints.known()).toEqual(addresses);
  expect(provider.requests).toEqual({ discovery: 1, keys: 0 });
});

test('the provider is asked again after an hour, and meanwhile the last known ones are used', async () => {
  const { provider, clock, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.known()).toEqual(addresses);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  clock.advance(endpointsFreshMs - 1);
  expect(endpoints.known()).toEqual(addresses);
  // A request that was made by now would arrive before this one's answer.
  await fetch(provider.issuer);
  expect(provider.requests.discovery).toBe(1);
  clock.advance(1);
  expect(endpoints.known()).toEqual(addresses);
  await expect.poll(() => endpoints.known()).toEqual(['https://new.example.net/token']);
});

test('while the provider is away the last known ones are used, and it is asked again after a pause', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  await expect.poll(() => endpoints.known()).toEqual(addresses);
  provider.answerDiscovery(unavailable);
  clock.advance(endpointsFreshMs);
  endpoints.known();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.known()).toEqual(addresses);
  expect(provider.requests.discovery).toBe(2);
  clock.advance(endpointsRetryMs);
  publish(provider, { token_endpoint: 'https://new.example.net/token' });
  await expect.poll(() => endpoints.known()).toEqual(['https://new.example.net/token']);
});

test('a restart while the provider is away still knows them, of the same issuer alone', async () => {
  const { provider, storage, clock, warnings, endpoints, start } = await endpointsOf();
  await expect.poll(() => endpoints.known()).toEqual(addresses);
  await expect.poll(() => storage.text()).not.toBeNull();
  provider.answerDiscovery(unavailable);
  const restarted = start();
  await expect.poll(() => restarted.known()).toEqual(addresses);
  const other = start(storage, `${provider.issuer}/other`);
  other.known();
  await expect.poll(() => warnings.length).toBe(2);
  clock.advance(endpointsRetryMs);
  expect(other.known()).toEqual([]);
});

test.each([
  ['of another issuer', { issuer: 'https://another.example.com', ...discovered }],
  ['that is no object', 'text'],
])('a document %s changes nothing', async (_, document) => {
  const { provider, warnings, endpoints } = await endpointsOf();
  provider.answerDiscovery((response) => response.end(JSON.stringify(document)));
  endpoints.known();
  await expect.poll(() => warnings.length).toBe(1);
  expect(endpoints.known()).toEqual([]);
});

test('what was stored in another form is not used', async () => {
  const { provider, warnings, start } = await endpointsOf();
  provider.answerDiscovery(unavailable);
  for (const stored of ['{', '7', JSON.stringify({ issuer: provider.issuer, endpoints: 'https://a.example.com' })]) {
    const storage = keepInMemory();
    await storage.save(stored);
    const before = warnings.length;
    const restarted = start(storage);
    restarted.known();
    await expect.poll(() => warnings.length).toBeGreaterThan(before);
    expect(restarted.known()).toEqual([]);
  }
});

test('members that are no text are left out', async () => {
  const { provider, endpoints } = await endpointsOf();
  publish(provider, { ...discovered, userinfo_endpoint: 7, end_session_endpoint: ['https://a.example.com/'] });
  await expect.poll(() => endpoints.known()).toEqual(addresses.slice(0, 2));
});

test('an issuer on https has no endpoint on plain http, and one on loopback may have', () => {
  const token_endpoint = 'http://127.0.0.1:8080/token';
  const userinfo_endpoint = 'https://id.example.com/me';
  const endpointsOfIssuer = (issuer: string) =>
    endpointsIn(JSON.stringify({ issuer, token_endpoint, userinfo_endpoint }), issuer);
  expect(endpointsOfIssuer('https://id.example.com')).toEqual([userinfo_endpoint]);
  expect(endpointsOfIssuer('http://127.0.0.1:8080')).toEqual([token_endpoint, userinfo_endpoint]);
});

test('closing ends a request under way without a word in the log, and none follows', async () => {
  const { provider, clock, warnings, endpoints } = await endpointsOf();
  const asked = new Promise<void>((resolve) => provider.answerDiscovery(() => resolve()));
  endpoints.known();
  await asked;
  await endpoints.close();
  clock.advance(endpointsFreshMs);
  expect(endpoints.known()).toEqual([]);
  expect(provider.requests.discovery).toBe(1);
  expect(warnings).toEqual([]);
});
